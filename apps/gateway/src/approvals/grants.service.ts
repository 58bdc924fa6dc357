import { type Caller, Refusal } from '@countersign/calls';
import { grantCounter } from '@countersign/decisions';
import { type Counter, grantsOfTenant, itemNames, type KeptGrant, MICRO } from '@countersign/domain';
import { countersOf } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import type { ChangeFields } from '../configuration/configuration-writer.js';
import type { ConditionalRequest } from '../configuration/precondition.js';
import { pageOf } from '../lists/lists.js';
import type { Page, PageQuery } from '../lists/page-query.js';
import { PolicyService } from '../policies/policy.service.js';
import type { PatientRequest } from '../requests/preferences.js';
import type { GrantAnswer } from './right-answers.schemas.js';

const NO_USES: ReadonlyMap<string, number> = new Map();
const sumOf = (slots: Counter['slots']): number => slots.reduce((sum, [, micro]) => sum + micro, 0);
const iso = (ms: number): string => new Date(ms).toISOString();

function statusOf({ grant, revoked }: KeptGrant, now_ms: number): GrantAnswer['status'] {
  if (revoked) return 'revoked';
  if (now_ms >= grant.expires_at_ms) return 'expired';
  if (grant.saga) return 'active';
  return grant.inputs === null || grant.rules.length === 0 ? 'void' : 'active';
}

function answerOf(kept: KeptGrant, now_ms: number, used: number, etag: string): GrantAnswer {
  const { from_ms, expires_at_ms, inputs, saga, ...rest } = kept.grant;
  const amounts = (inputs?.amounts ?? []).map(({ path, max }) => ({ path, max, sum_max: max * rest.uses }));
  const starts_at = iso(from_ms);
  const times = { starts_at, expires_at: iso(expires_at_ms), from_time: starts_at };
  const covers = saga
    ? { scope: 'saga' as const, saga_id: saga.saga_id, steps: saga.steps.map(({ step_id }) => step_id) }
    : { saga_id: null, steps: [] };
  return { ...rest, ...covers, amounts, used, status: statusOf(kept, now_ms), ...times, etag };
}

/** Approvals that also cover similar calls. Each grant is a visible rule that expires and can be revoked. */
@Injectable()
export class GrantsService {
  constructor(private readonly policies: PolicyService) {}

  async list(tenant_id: string, { limit, cursor }: PageQuery): Promise<Page<GrantAnswer>> {
    const known = [...this.known(tenant_id).values()];
    const now_ms = this.policies.configuration.clock.now_ms();
    const used = known.length === 0 ? NO_USES : await this.used(tenant_id, known);
    const page = { limit, ...(cursor ? { after: cursor } : {}) };
    return pageOf(
      known,
      page,
      ({ grant }) => grant.grant_id,
      (kept) => answerOf(kept, now_ms, used.get(kept.grant.grant_id) ?? 0, this.etag(tenant_id, kept.grant.grant_id)),
    );
  }

  revoke(caller: Caller, grant_id: string, request: ConditionalRequest & PatientRequest) {
    const draft = () => this.revocation(caller, grant_id);
    const edit = { tenant_id: caller.tenant_id, type: 'grant_set', item: itemNames.grant(grant_id), draft } as const;
    return this.policies.editEverywhere(request, edit);
  }

  private revocation({ tenant_id, principal }: Caller, grant_id: string): ChangeFields<'grant_set'> | Refusal {
    const known = this.known(tenant_id).get(grant_id);
    if (!known) return new Refusal('not-found', 'no grant has this id', { reason: 'grant_not_found' });
    const { id, roles, kind } = principal;
    const may =
      kind !== 'agent' &&
      (known.grant.granted_by.includes(id) || roles.some((role) => ['approver', 'policy_admin', 'admin'].includes(role)));
    if (!may) return new Refusal('forbidden', 'this needs one of the roles approver, policy_admin', { reason: 'role_missing' });
    return { grant: known.grant, revoked: true, by: principal, changed_at_ms: this.policies.configuration.clock.now_ms() };
  }

  private etag(tenant_id: string, grant_id: string): string {
    return this.policies.configuration.edits.etag(tenant_id, itemNames.grant(grant_id));
  }

  /** Number of uses of grants that calls hold or have consumed, by grant id. */
  private async used(tenant_id: string, known: readonly KeptGrant[]): Promise<ReadonlyMap<string, number>> {
    const ids = new Map(known.map(({ grant }) => [grantCounter(tenant_id, grant.grant_id), grant.grant_id]));
    const rows = await countersOf(this.policies.store, [...ids.keys()]);
    return new Map(rows.map(({ key, slots }) => [ids.get(key) as string, sumOf(JSON.parse(slots) as Counter['slots']) / MICRO]));
  }

  private known(tenant_id: string): ReadonlyMap<string, KeptGrant> {
    return grantsOfTenant(this.policies.configuration.state, tenant_id);
  }
}
