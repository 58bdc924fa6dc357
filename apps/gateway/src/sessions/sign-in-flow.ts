import { z } from 'zod';

/** The time for signing in at the provider. */
export const FLOW_LIVES_MS = 600_000;

/** The content of the cookie of a code flow: binds the answer of the provider to the browser that started it. */
export const signInFlow = z.strictObject({
  provider_id: z.string(),
  issuer: z.string(),
  secrets: z.strictObject({ state: z.string(), nonce: z.string(), code_verifier: z.string() }),
  return_to: z.string(),
  expires_at_ms: z.int(),
});

export type SignInFlow = z.infer<typeof signInFlow>;
