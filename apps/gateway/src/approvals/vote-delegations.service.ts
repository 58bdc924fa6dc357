import { type Caller, Refusal } from '@countersign/calls';
import { uuidv7 } from '@countersign/contracts';
import { type Delegation, itemNames } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { VerifiedTokens } from '../authentication/verified-tokens.js';
import type { ConditionalRequest } from '../configuration/precondition.js';
import { pageOf } from '../lists/lists.js';
import type { Page, PageQuery } from '../lists/page-query.js';
import { PolicyService } from '../policies/policy.service.js';
import type { PatientRequest } from '../requests/preferences.js';
import { delegatedTimes, type VoteDelegationRequest } from './approval-requests.schemas.js';
import type { VoteDelegationAnswer } from './right-answers.schemas.js';

/** A delegation and its ETag. */
export interface TaggedDelegation {
  delegation: VoteDelegationAnswer;
  etag: string;
}

const iso = (ms: number): string => new Date(ms).toISOString();

function answerOf({ from, from_ms, until_ms, changed_at_ms, by: _by, ...rest }: Delegation): VoteDelegationAnswer {
  const [starts_at, expires_at] = [iso(from_ms), iso(until_ms)];
  const times = { starts_at, expires_at, from_time: starts_at, until: expires_at, changed_at: iso(changed_at_ms) };
  return { ...rest, from: { id: from.id, roles: from.roles }, ...times };
}

/** Out of office: a delegate votes with the roles that the delegator has at the time of the vote. */
@Injectable()
export class VoteDelegationsService {
  constructor(
    private readonly policies: PolicyService,
    private readonly verified: VerifiedTokens,
  ) {}

  list(tenant_id: string, { limit, cursor }: PageQuery): Page<VoteDelegationAnswer & { etag: string }> {
    const page = { limit, ...(cursor ? { after: cursor } : {}) };
    const answered = (one: Delegation) => ({ ...answerOf(one), etag: this.etag(tenant_id, one.delegation_id) });
    return pageOf(this.known(tenant_id), page, ({ delegation_id }) => delegation_id, answered);
  }

  async create(caller: Caller, body: VoteDelegationRequest, request: PatientRequest): Promise<TaggedDelegation | Refusal> {
    const { tenant_id, principal, issuer } = caller;
    if (principal.kind !== 'user') return new Refusal('forbidden', 'only users can delegate votes', { reason: 'user_required' });
    if (body.to === principal.id) return new Refusal('invalid-request', '`to` must be another principal');
    const changed_at_ms = this.policies.configuration.clock.now_ms();
    const { from_ms = changed_at_ms, until_ms } = delegatedTimes(body);
    if (until_ms <= Math.max(from_ms, changed_at_ms))
      return new Refusal('invalid-request', '`expires_at` must be in the future and after `starts_at`');
    const delegation_id = uuidv7(changed_at_ms);
    const { to, tools, reason } = body;
    const who = { from: principal, from_issuer: issuer, to, by: principal };
    const delegation: Delegation = { delegation_id, ...who, tools, reason, from_ms, until_ms, changed_at_ms };
    await this.verified.ensure(caller);
    await this.policies.setEverywhere(request, tenant_id, 'delegation_set', { ...delegation, ended: false });
    return { delegation: answerOf(delegation), etag: this.etag(tenant_id, delegation_id) };
  }

  async end({ tenant_id, principal: by }: Caller, delegation_id: string, request: ConditionalRequest & PatientRequest) {
    const draft = () => {
      const known = this.known(tenant_id).find((one) => one.delegation_id === delegation_id);
      if (!known) return new Refusal('not-found', 'no delegation has this id', { reason: 'vote_delegation_not_found' });
      if (known.from.id !== by.id && !by.roles.includes('admin'))
        return new Refusal('forbidden', 'only the delegator or an admin can end this delegation', { reason: 'not_the_owner' });
      return { ...known, ended: true, by, changed_at_ms: this.policies.configuration.clock.now_ms() };
    };
    const item = itemNames.vote_delegation(delegation_id);
    return this.policies.editEverywhere(request, { tenant_id, type: 'delegation_set', item, draft });
  }

  private etag(tenant_id: string, delegation_id: string): string {
    return this.policies.configuration.edits.etag(tenant_id, itemNames.vote_delegation(delegation_id));
  }

  private known(tenant_id: string): Delegation[] {
    return [...(this.policies.configuration.state.by_tenant.get(tenant_id)?.delegations.values() ?? [])];
  }
}
