import { type Caller, Refusal } from '@countersign/calls';
import { intersectRights, uuidv7 } from '@countersign/contracts';
import { itemNames, type UserDelegation } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { isoOf } from '../answers/shared-schemas.js';
import type { WithHeaders } from '../answers/with-headers.js';
import { ConfigurationService, type EditRequest } from '../configuration/configuration.service.js';
import { pageOf } from '../lists/lists.js';
import { type Page, type PageQuery, placeOf } from '../lists/page-query.js';
import type { DelegationAnswer, DelegationRequest } from './delegations.schemas.js';
import { expiryOf } from './expiry.js';

function answerOf({ changed_at_ms, expires_at_ms, ...delegation }: UserDelegation): DelegationAnswer {
  return { ...delegation, expires_at: isoOf(expires_at_ms), changed_at: new Date(changed_at_ms).toISOString() };
}

/** Delegations from users to agents. The agent then has only the rights that both have. */
@Injectable()
export class DelegationsService {
  constructor(private readonly configuration: ConfigurationService) {}

  list(caller: Caller, query: PageQuery): Page<DelegationAnswer & { etag: string }> {
    return pageOf(
      this.visible(caller),
      placeOf(query),
      ({ delegation_id }) => delegation_id,
      (one) => ({ ...answerOf(one), etag: this.etag(caller, one.delegation_id) }),
    );
  }

  async create(caller: Caller, body: DelegationRequest, request: EditRequest): Promise<WithHeaders<DelegationAnswer> | Refusal> {
    if (caller.principal.kind !== 'user')
      return new Refusal('forbidden', 'only users can delegate authority to an agent', { reason: 'user_required' });
    const changed_at_ms = this.configuration.now_ms();
    const expires_at_ms = expiryOf(body.expires_at, changed_at_ms);
    if (expires_at_ms instanceof Refusal) return expires_at_ms;
    const { agent_id, scopes = null, clearances, purposes = null } = body;
    const { id: user_id, roles: user_roles } = caller.principal;
    const user = { user_id, user_roles, user_issuer: caller.issuer };
    const rights = intersectRights(caller.authority, { scopes, clearances, purposes });
    const fields = { delegation_id: uuidv7(changed_at_ms), ...user, agent_id, ...rights, expires_at_ms, changed_at_ms };
    const event = { ...fields, revoked: false, by: caller.principal };
    await this.configuration.setEverywhere(request, caller.tenant_id, 'user_delegation_set', event);
    const { delegation_id } = fields;
    const headers = { location: `/v1/delegations/${delegation_id}`, etag: this.etag(caller, delegation_id) };
    return { body: answerOf(fields), headers };
  }

  async revoke(caller: Caller, delegation_id: string, request: EditRequest): Promise<Refusal | undefined> {
    const { tenant_id, principal: by } = caller;
    const draft = () => {
      const known = this.visible(caller).find((one) => one.delegation_id === delegation_id);
      if (!known) return new Refusal('not-found', 'no delegation has this id', { reason: 'delegation_not_found' });
      return { ...known, by, changed_at_ms: this.configuration.now_ms(), revoked: true };
    };
    const item = itemNames.user_delegation(delegation_id);
    const edited = await this.configuration.editEverywhere(request, { tenant_id, type: 'user_delegation_set', item, draft });
    return edited instanceof Refusal ? edited : undefined;
  }

  private etag({ tenant_id }: Caller, delegation_id: string): string {
    return this.configuration.etag(tenant_id, itemNames.user_delegation(delegation_id));
  }

  /** The user's own delegations; for admins all of the tenant. */
  private visible({ tenant_id, principal }: Caller): UserDelegation[] {
    const all = [...(this.configuration.state.by_tenant.get(tenant_id)?.user_delegations.values() ?? [])];
    return principal.roles.includes('admin') ? all : all.filter(({ user_id }) => user_id === principal.id);
  }
}
