import { type Caller, Refusal } from '@countersign/calls';
import { type IdentityProvider, isSessionEnded, tenantOf } from '@countersign/domain';
import type { Configuration } from '@countersign/process';
import type { Authenticator } from '../authentication/authenticator.js';
import { callerOfToken } from '../authentication/token-principals.js';
import type { SessionClaims, SignedInAs } from './session-claims.js';

export const sessionEnded = (): Refusal =>
  new Refusal('unauthenticated', 'the session has ended or is not valid: sign in again', { reason: 'session_ended' });

type OfProvider = Extract<SignedInAs, { by: 'openid' }>;

/** Resolves the principal of a session from the current configuration, as it is done for a Bearer token. */
export class SessionPrincipals {
  constructor(
    private readonly configuration: Pick<Configuration, 'state'>,
    private readonly authenticator: Pick<Authenticator, 'stale' | 'callerOfKeyId'>,
  ) {}

  /** Refuses a session whose key, person or tenant is no longer valid, or that the person ended. */
  callerOf(tenant_id: string, { session_id, epoch, as }: SessionClaims): Caller | Refusal {
    const caller = this.principalOf(tenant_id, as);
    if (caller === undefined || caller instanceof Refusal) return caller ?? sessionEnded();
    const person = { issuer: caller.issuer, ...caller.principal };
    return isSessionEnded(this.configuration.state, tenant_id, person, { session_id, epoch }) ? sessionEnded() : caller;
  }

  /** The person now; undefined if the credential or the provider no longer gives access. */
  principalOf(tenant_id: string, as: SignedInAs): Caller | Refusal | undefined {
    const stale = this.authenticator.stale();
    if (stale) return stale;
    if (as.by === 'openid') return this.personOf(tenant_id, as);
    const caller = this.authenticator.callerOfKeyId(as.key_id);
    return caller?.tenant_id === tenant_id && caller.principal.kind === 'user' ? caller : undefined;
  }

  private personOf(tenant_id: string, { provider_id, issuer, claims, verified_at_ms }: OfProvider): Caller | undefined {
    const { state } = this.configuration;
    const provider = state.by_tenant.get(tenant_id)?.identity_providers.get(provider_id);
    if (!provider || !tenantOf(state, tenant_id) || provider.issuer !== issuer || !signsIn(provider)) return undefined;
    return callerOfToken({ payload: claims, provider, verified_at_ms });
  }
}

/** True if people of this provider may sign in to the console. */
export const signsIn = ({ kind, sign_in }: IdentityProvider): boolean => kind === 'user' && sign_in !== null;
