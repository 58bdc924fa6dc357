import type { Caller } from '@countersign/calls';
import { baseOf, itemNames, tokenVerifiedAt } from '@countersign/domain';
import type { Configuration, Logger } from '@countersign/process';
import type { ConfigurationWriter } from '../configuration/configuration-writer.js';

/** A person is recorded again after this fraction of the token lifetime: every 3 hours of 24. */
const RECORDS_PER_LIFE = 8;
/** Maximum of records that one gateway writes per tenant and hour for tokens; records for votes are not counted. */
const UNASKED_MAX = 1_000;
const HOUR_MS = 3_600_000;
/** No approval rule can require this role. */
const AGENT = 'agent';

/**
 * Records on configuration-changed that tokens of people were verified, so that every gateway and policy service knows who of an identity
 * provider is active, also after a restart. A person is recorded again after an eighth of the token lifetime.
 */
export class VerifiedTokens {
  private readonly under_way = new Map<string, Promise<void>>();
  private readonly written = new Map<string, { from_ms: number; count: number }>();

  constructor(
    private readonly configuration: Pick<Configuration, 'state'>,
    private readonly writer: Pick<ConfigurationWriter, 'change'>,
    private readonly parts: { now_ms: () => number; logger: Pick<Logger, 'warn'> },
  ) {}

  /** Records a verified token if its person can approve and the last record is old. Runs in the background. */
  noted(caller: Caller): void {
    const { token, tenant_id, principal } = caller;
    if (!token || principal.roles.every((role) => role === AGENT)) return;
    if (!this.isDue(caller, token.provider.people_live_ms / RECORDS_PER_LIFE) || !this.mayWrite(tenant_id)) return;
    void this.record(caller).catch((cause) =>
      this.parts.logger.warn({ event: 'verified_token_not_recorded', err: cause, tenant_id }, 'could not record a verified token'),
    );
  }

  /** Resolves when the record has those claims of the caller's token that a vote needs. @throws InfrastructureFault */
  async ensure(caller: Pick<Caller, 'tenant_id' | 'principal' | 'token'>): Promise<void> {
    if (caller.token && this.isDue(caller, caller.token.provider.people_live_ms / RECORDS_PER_LIFE)) await this.record(caller);
  }

  /** True if this token is newer, by `by_ms`, than the record of its person or of one of its roles. */
  private isDue({ principal, token }: Pick<Caller, 'principal' | 'token'>, by_ms: number): boolean {
    if (!token || principal.kind !== 'user') return false;
    const { provider, verified_at_ms } = token;
    return [undefined, ...principal.roles].some((role) => {
      const known_ms = tokenVerifiedAt(this.configuration.state, provider, principal.id, role);
      return known_ms === undefined || verified_at_ms - known_ms >= by_ms;
    });
  }

  private mayWrite(tenant_id: string): boolean {
    const now_ms = this.parts.now_ms();
    const known = this.written.get(tenant_id);
    if (!known || now_ms - known.from_ms >= HOUR_MS) this.written.set(tenant_id, { from_ms: now_ms, count: 1 });
    else if (known.count++ >= UNASKED_MAX) return false;
    return true;
  }

  private record({ tenant_id, principal, token }: Pick<Caller, 'tenant_id' | 'principal' | 'token'>): Promise<void> {
    if (!token) return Promise.resolve();
    const { provider, verified_at_ms } = token;
    const { provider_id } = provider;
    const { id: subject, roles } = principal;
    const key = JSON.stringify([tenant_id, provider_id, subject, roles, verified_at_ms]);
    const known = this.under_way.get(key);
    if (known) return known;
    const { state } = this.configuration;
    // The provider settings changed meanwhile: the token is verified again with its next request.
    if (state.by_tenant.get(tenant_id)?.identity_providers.get(provider_id) !== provider) return Promise.resolve();
    const versions = baseOf(state.changes, tenant_id, [itemNames.identity_provider(provider_id)]);
    const fields = { provider_id, subject, roles, verified_at_ms };
    const written = this.writer
      .change(tenant_id, 'person_token_verified', fields, { versions, is_required: false })
      .then(() => undefined)
      .finally(() => this.under_way.delete(key));
    this.under_way.set(key, written);
    return written;
  }
}
