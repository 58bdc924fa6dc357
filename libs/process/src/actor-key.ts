import { createPrivateKey, createPublicKey, type KeyObject, randomUUID } from 'node:crypto';
import { type TenantKeys, tenantKeyFor } from './tenant-keys.js';

/** The prefix of the seed in the PKCS #8 form of an Ed25519 key (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const LIVES_S = 120;

/** The issuer of actor tokens. */
const actorIssuer = (tenant_id: string): string => `urn:countersign:tenant:${tenant_id}`;

/** The signing key for a tenant's actor tokens: it is derived from the tenant's key, so all services have it. */
function actorKey(keys: TenantKeys, tenant_id: string): KeyObject {
  const seed = tenantKeyFor(keys, tenant_id, 'actor-token');
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
}

/** The public key for token endpoints: a JSON Web Key Set. */
export function actorKeySet(keys: TenantKeys, tenant_id: string): { keys: Record<string, unknown>[] } {
  const jwk = createPublicKey(actorKey(keys, tenant_id)).export({ format: 'jwk' });
  return { keys: [{ ...jwk, alg: 'EdDSA', use: 'sig', kid: 'actor' }] };
}

/** A JWT for one token endpoint that names the acting agent, valid for two minutes. The agent's own credential is never sent. */
export async function actorToken(
  keys: TenantKeys,
  of: { tenant_id: string; agent_id: string; audience: string; now_ms: number },
): Promise<string> {
  // Loaded by the first token exchange.
  const { SignJWT } = await import('jose');
  const iat = Math.floor(of.now_ms / 1000);
  const claims = { iss: actorIssuer(of.tenant_id), sub: of.agent_id, aud: of.audience, iat, exp: iat + LIVES_S, jti: randomUUID() };
  return new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid: 'actor' }).sign(actorKey(keys, of.tenant_id));
}
