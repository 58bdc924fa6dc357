import { type Caller, Refusal } from '@countersign/calls';
import type { Authority } from '@countersign/contracts';
import { type ApiKey, isUsable, LOCAL_ISSUER, principalOfKey, tenantOf } from '@countersign/domain';
import type { Configuration } from '@countersign/process';
import { SILENCE_MAX_MS } from '../configuration/configuration.service.js';
import type { KeyUses } from './key-uses.js';
import { TokenHashes } from './token-hashes.js';
import type { TokenPrincipals } from './token-principals.js';

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

export const unauthenticated = (detail: string): Refusal => new Refusal('unauthenticated', detail, { reason: 'unauthenticated' });
export const invalidToken = (detail: string): Refusal =>
  new Refusal('unauthenticated', detail, { reason: 'unauthenticated' }, { invalid_token: true });

/** Resolves a bearer token to its caller. Reads the configuration each time, so a revocation takes effect at once. */
export class Authenticator {
  private readonly hashes = new TokenHashes();
  private readonly ofKeys = new WeakMap<ApiKey, Caller>();

  constructor(
    private readonly configuration: Configuration,
    private readonly now_ms: () => number,
    private readonly tokens: TokenPrincipals,
    private readonly uses: Pick<KeyUses, 'note'>,
  ) {}

  caller(authorization: string | undefined): Caller | Refusal {
    if (authorization === undefined) return unauthenticated('send `Authorization: Bearer <key>`');
    if (authorization.length < 8 || authorization.slice(0, 7).toLowerCase() !== 'bearer ')
      return unauthenticated('the Authorization scheme must be Bearer');
    const stale = this.stale();
    if (stale) return stale;
    const token = authorization.slice(7).trim();
    const hash = this.hashes.hashOf(token);
    return hash === undefined ? this.tokens.caller(token) : this.callerOfHash(hash);
  }

  /** The caller with the API key of this hash. Check `stale` first. */
  callerOfHash(hash: string): Caller | Refusal {
    const key = principalOfKey(this.configuration.state, hash, this.now_ms());
    if (!key) return invalidToken('the token is unknown, revoked or expired');
    if (!tenantOf(this.configuration.state, key.tenant_id)) return invalidToken('the token names a tenant that does not exist');
    return this.used(key);
  }

  /** The caller with this credential; undefined if it is unknown, revoked or expired, or its tenant does not exist. Check `stale` first. */
  callerOfKeyId(key_id: string): Caller | undefined {
    const { state } = this.configuration;
    const key = state.keys_by_id.get(key_id);
    return key && isUsable(key, this.now_ms()) && tenantOf(state, key.tenant_id) ? this.used(key) : undefined;
  }

  /** Refuses everyone while this gateway may lack a revocation. */
  stale(): Refusal | undefined {
    if (this.configuration.staleness_ms('configuration-changed') <= SILENCE_MAX_MS) return undefined;
    return new Refusal('unavailable', 'this gateway has not received key changes for too long: its keys may be stale', {
      reason: 'keys_stale',
    });
  }

  /** Verifies the signature of a token, so that `caller` can then answer synchronously. Undefined if no wait is needed. */
  prepare(authorization: string | undefined): Promise<void> | undefined {
    return authorization === undefined || authorization.startsWith('csk_', 7)
      ? undefined
      : this.tokens.prepare(authorization.slice(7).trim());
  }

  private used(key: ApiKey): Caller {
    this.uses.note(key);
    return this.ofKeys.get(key) ?? this.remember(key);
  }

  private remember(key: ApiKey): Caller {
    const caller = callerOfKey(key);
    this.ofKeys.set(key, caller);
    return caller;
  }
}

/** The principal of a credential of this installation, with its rights. */
export function callerOfKey({ tenant_id, key_id, principal, scopes, clearances, purposes }: ApiKey): Caller {
  const authority = authorityOf(`key:${key_id}`, { scopes: scopes.length === 0 ? null : scopes, clearances, purposes });
  return { tenant_id, key_id, principal, issuer: LOCAL_ISSUER, scopes, clearances, authority };
}

/** The authority of a credential without delegation. */
export function authorityOf(agent_token_ref: string, rights: Pick<Authority, 'scopes' | 'clearances' | 'purposes'>): Authority {
  return { agent_token_ref, ...rights, on_behalf_of: null, delegated_user_token_ref: null, delegation_id: null, sources: [], markings: [] };
}

/** Undefined if the caller has one of these roles; `admin` counts as every role. An empty list admits every principal. */
export function lacksRole(caller: Pick<Caller, 'principal'>, allowed: readonly Role[]): Refusal | undefined {
  if (allowed.length === 0) return undefined;
  for (const role of caller.principal.roles) if (role === 'admin' || allowed.includes(role as Role)) return undefined;
  return new Refusal(
    'forbidden',
    `this needs one of the roles ${allowed.join(', ')}`,
    { reason: 'role_missing' },
    { access: 'role_refused' },
  );
}
