import type { Principal } from '@countersign/contracts';
import { principalOfKey, tenantOf } from '@countersign/domain';
import type { Configuration } from '@countersign/process';
import { Problem } from '../http/problem.js';
import { TokenHashes } from './token-hashes.js';

export type Role = 'agent' | 'approver' | 'operator' | 'auditor' | 'policy_admin' | 'tool_author' | 'admin';
export const roles = [
  'agent',
  'approver',
  'operator',
  'auditor',
  'policy_admin',
  'tool_author',
  'admin',
] as const satisfies readonly Role[];

/** Who asks, as the API key says. `scopes` empty: limited by its roles only. */
export interface Caller {
  tenant_id: string;
  key_id: string;
  principal: Principal;
  scopes: readonly string[];
}

const CHALLENGE = { 'www-authenticate': 'Bearer realm="countersign"' };
const refuse = (detail: string, error = ''): Problem =>
  new Problem('unauthenticated', detail, {}, { 'www-authenticate': CHALLENGE['www-authenticate'] + error });

/** Turns a bearer token into its caller. The configuration is read each time, so a revoked key stops at once. */
export class Authenticator {
  private readonly hashes = new TokenHashes();

  constructor(
    private readonly configuration: Configuration,
    private readonly now_ms: () => number,
  ) {}

  caller(authorization: string | undefined): Caller | Problem {
    if (authorization === undefined) return refuse('send `Authorization: Bearer <key>`');
    if (authorization.length < 8 || authorization.slice(0, 7).toLowerCase() !== 'bearer ') return refuse('only Bearer tokens are taken');
    const hash = this.hashes.hashOf(authorization.slice(7).trim());
    const key = hash === undefined ? undefined : principalOfKey(this.configuration.state, hash, this.now_ms());
    if (!key) return refuse('the token is unknown, revoked or expired', ', error="invalid_token"');
    if (!tenantOf(this.configuration.state, key.tenant_id))
      return refuse('the token names a tenant that does not exist', ', error="invalid_token"');
    return { tenant_id: key.tenant_id, key_id: key.key_id, principal: key.principal, scopes: key.scopes };
  }
}

/** Undefined where the caller has one of these roles; `admin` has them all. An empty list admits every principal. */
export function lacksRole(caller: Caller, allowed: readonly Role[]): Problem | undefined {
  if (allowed.length === 0) return undefined;
  for (const role of caller.principal.roles) if (role === 'admin' || allowed.includes(role as Role)) return undefined;
  return new Problem('forbidden', `this needs one of the roles ${allowed.join(', ')}`);
}
