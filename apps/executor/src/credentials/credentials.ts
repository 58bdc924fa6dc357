import { type CallError, callError, type ToolCall } from '@countersign/contracts';
import { type ConfigurationState, tokenExchangeOf } from '@countersign/domain';
import { type Clock, liveSecrets } from '@countersign/process';
import type { Vault } from '@countersign/store';
import type { Job } from '../calls/job.js';
import { type Credential, ResolvedCredentials } from '../calls/resolved-credentials.js';
import type { ReissueRequests } from './reissue-requests.js';
import type { TokenBroker } from './token-broker.js';

/** A missing credential, and the route that sets it. */
interface Missing {
  name: string;
  what: 'secret' | 'user_token' | 'client_secret';
  reason: 'absent' | 'expired' | 'refused';
  where: string;
}

/** Who chose the server that gets the credentials. */
export type ServerChoice = 'operator' | 'tenant';

type Found = { credential: Credential } | { missing: Missing } | { unavailable: string };

/** The user whose secrets apply: the user that the agent acts for, otherwise the caller. */
const userOf = (call: ToolCall): string => call.authority?.on_behalf_of?.id ?? call.principal.id;

/**
 * Resolves the `auth_requirements` of a tool for one call: a token in exchange for the user's token if the tenant configured that for the
 * name; otherwise the secret of the user, the workspace or the installation.
 */
export class Credentials {
  constructor(
    private readonly configuration: { readonly state: ConfigurationState },
    private readonly vault: Vault,
    private readonly broker: TokenBroker,
    private readonly parts: { clock: Clock; reissue: ReissueRequests },
  ) {}

  /**
   * All credentials, or why the call cannot run. Never rejects. Secrets stay registered for masking until `release`.
   * @param server Who chose the server that gets them: one of the tenant's choice gets no secret of the installation
   */
  async resolve(job: Job, names: readonly string[], server: ServerChoice = 'operator'): Promise<ResolvedCredentials | CallError> {
    let found: Found[];
    try {
      found = await Promise.all(names.map((name) => this.find(job, name, server)));
    } catch {
      return callError('NETWORK_ERROR', 'the secrets cannot be read at the moment');
    }
    const missing = found.flatMap((one) => ('missing' in one ? one.missing : []));
    if (missing.length > 0) return this.required(job, missing);
    const unavailable = found.find((one) => 'unavailable' in one);
    if (unavailable) return callError('NETWORK_ERROR', (unavailable as { unavailable: string }).unavailable);
    const resolved = new ResolvedCredentials(
      found.flatMap((one) => ('credential' in one ? one.credential : [])),
      userOf(job.call),
    );
    liveSecrets.hold(resolved.masker);
    return resolved;
  }

  /** Releases the credentials after the run. */
  release(resolved: ResolvedCredentials): void {
    liveSecrets.release(resolved.masker, this.parts.clock.monotonic_ms());
  }

  private async find(job: Job, name: string, server: ServerChoice): Promise<Found> {
    const exchange = tokenExchangeOf(this.configuration.state, job.tenant_id, name);
    if (exchange) return this.exchanged(job, name, exchange);
    const now_ms = this.parts.clock.now_ms();
    const of = { tenant_id: job.tenant_id, user_id: userOf(job.call), name };
    const secret = await (server === 'tenant' ? this.vault.tenantSecret(of, now_ms) : this.vault.resolve(of, now_ms));
    if ('missing' in secret) {
      const where = `PUT /v1/secrets/${secret.scope ?? 'workspace'}/${name}`;
      return { missing: { name, what: 'secret', reason: secret.missing, where } };
    }
    const { value, scope, version } = secret;
    return { credential: { name, scope, version, value, behind: [] } };
  }

  private async exchanged(job: Job, name: string, exchange: NonNullable<ReturnType<typeof tokenExchangeOf>>): Promise<Found> {
    const { tenant_id, call } = job;
    const where = 'send the call again with a fresh user_token';
    const user_token_ref = call.authority?.delegated_user_token_ref;
    if (!user_token_ref) return { missing: { name, what: 'user_token', reason: 'absent', where } };
    const brokered = await this.broker.token(exchange, { tenant_id, agent_id: call.principal.id, user_token_ref });
    switch (brokered.kind) {
      case 'token':
        return { credential: { name, scope: 'exchanged', version: 1, value: brokered.value, behind: brokered.behind } };
      case 'unavailable':
        return { unavailable: brokered.why };
      case 'reissue': {
        const { what, reason } = brokered;
        return {
          missing: { name, what, reason, where: what === 'user_token' ? where : `PUT /v1/secrets/workspace/${exchange.client_secret}` },
        };
      }
    }
  }

  private required(job: Job, missing: readonly Missing[]): CallError {
    const listed = missing.map(({ name, what, reason }) => `${name} (${what} ${reason})`).join(', ');
    const reissue = missing.map((one) => ({ ...one, user_id: userOf(job.call) }));
    this.parts.reissue.ask(job, JSON.stringify(reissue));
    return callError('AUTH_REQUIRED', `credentials are required: ${listed}`, { details: { reissue } });
  }
}
