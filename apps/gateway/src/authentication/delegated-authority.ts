import { type AuthorityResolver, type Caller, type CallFor, Refusal } from '@countersign/calls';
import { type Authority, intersectRights, lacking, type Principal, parseCallId, type Rights, union } from '@countersign/contracts';
import { type CallState, delegationOf } from '@countersign/domain';
import type { Configuration } from '@countersign/process';
import type { Vault } from '@countersign/store';
import type { TokenPrincipals } from './token-principals.js';

/** Reads one call of the tenant; undefined if it does not exist. */
export type CallReader = (tenantId: string, callId: string) => Promise<CallState | undefined>;

const at = (path: string, message: string): Refusal =>
  new Refusal('invalid-request', message, { issues: [{ path, code: 'refused', message }] });

type ForUser = Pick<Authority, 'on_behalf_of' | 'delegated_user_token_ref' | 'delegation_id'> & Rights;

/** Resolves the authority of a call that acts for a user or depends on the results of other calls. */
export class DelegatedAuthority implements AuthorityResolver {
  constructor(
    private readonly configuration: Configuration,
    private readonly tokens: TokenPrincipals,
    private readonly vault: Vault,
    private readonly read: { call: CallReader; now_ms: () => number },
  ) {}

  async of(request: CallFor, caller: Caller): Promise<Authority | Refusal> {
    const user = await this.user(request, caller);
    if (user instanceof Refusal) return user;
    const sources = await this.sources(request.sources ?? [], caller);
    if (sources instanceof Refusal) return sources;
    return { ...caller.authority, ...user, ...sources };
  }

  private async user(request: CallFor, caller: Caller): Promise<ForUser | undefined | Refusal> {
    const { user_token, on_behalf_of } = request;
    if (user_token === undefined && on_behalf_of === undefined) return undefined;
    if (caller.principal.kind === 'user') return at('/on_behalf_of', 'only agents and services can act on behalf of a user');
    if (user_token !== undefined) return this.byToken(user_token, on_behalf_of, caller);
    const between = { user_id: on_behalf_of as string, agent_id: caller.principal.id };
    const delegation = delegationOf(this.configuration.state, caller.tenant_id, between, this.read.now_ms());
    if (!delegation) return new Refusal('forbidden', 'this agent has no valid delegation from that user', { reason: 'delegation_missing' });
    const principal: Principal = { kind: 'user', id: delegation.user_id, roles: delegation.user_roles };
    const { delegation_id } = delegation;
    return { on_behalf_of: principal, delegated_user_token_ref: null, delegation_id, ...intersectRights(caller.authority, delegation) };
  }

  private async byToken(text: string, wanted: string | undefined, caller: Caller): Promise<ForUser | Refusal> {
    await this.tokens.prepare(text);
    const user = this.tokens.caller(text);
    if (user instanceof Refusal) return at('/user_token', user.detail);
    if (user.tenant_id !== caller.tenant_id) return at('/user_token', 'no identity provider of this tenant issued it');
    if (user.principal.kind !== 'user') return at('/user_token', 'it does not identify a user');
    if (wanted !== undefined && wanted !== user.principal.id) return at('/on_behalf_of', 'the token belongs to another user');
    const expires_at_ms = this.tokens.expiryOf(text) as number;
    const ref = await this.vault.seal(caller.tenant_id, { user_id: user.principal.id, text, expires_at_ms }, this.read.now_ms());
    const rights = intersectRights(caller.authority, user.authority);
    return { on_behalf_of: user.principal, delegated_user_token_ref: ref, delegation_id: null, ...rights };
  }

  /** A call of another tenant, or one whose result the caller may not see, counts as unknown. */
  private async sources(ids: readonly string[], caller: Caller): Promise<Pick<Authority, 'sources' | 'markings'> | Refusal> {
    let markings: string[] = [];
    for (const [index, id] of ids.entries()) {
      const state = parseCallId(id) ? await this.read.call(caller.tenant_id, id) : undefined;
      const own = state?.call?.authority?.markings ?? [];
      if (!state || lacking(own, caller.clearances).length > 0) return at(`/sources/${index}`, 'the call does not exist');
      markings = union(markings, own);
    }
    return { sources: [...ids], markings };
  }
}
