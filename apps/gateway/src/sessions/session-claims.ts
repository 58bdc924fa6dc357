import { z } from 'zod';

const credential = z.strictObject({ by: z.enum(['key', 'link']), key_id: z.string() });

/** A person of an identity provider: those claims of the ID token that the settings of the provider named at sign-in. */
const person = z.strictObject({
  by: z.literal('openid'),
  provider_id: z.string(),
  issuer: z.string(),
  claims: z.record(z.string(), z.unknown()),
  verified_at_ms: z.int(),
});

/** Who signed in, and how. Roles are resolved with each request. */
export const signedInAs = z.discriminatedUnion('by', [credential, person]);

/** The content of a session cookie. Its tenant selects the key that seals it. */
export const sessionClaims = z.strictObject({
  session_id: z.string(),
  /** The epoch of the person when the session started (sessionEpoch). */
  epoch: z.int(),
  started_at_ms: z.int(),
  /** The last request that renewed the cookie. */
  seen_at_ms: z.int(),
  expires_at_ms: z.int(),
  as: signedInAs,
});

export type SignedInAs = z.infer<typeof signedInAs>;
export type SessionClaims = z.infer<typeof sessionClaims>;
