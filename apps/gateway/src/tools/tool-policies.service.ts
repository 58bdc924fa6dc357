import { type Caller, Refusal } from '@countersign/calls';
import type { ApprovalRequirement } from '@countersign/contracts';
import { itemNames, nearestNames, type ToolOverride } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import type { ChangeFields } from '../configuration/configuration-writer.js';
import type { ConditionalRequest } from '../configuration/precondition.js';
import { pageOf } from '../lists/lists.js';
import { type Page, type PageQuery, storeQuery } from '../lists/page-query.js';
import { type BundleFindings, peopleFindings, type RuleFinding } from '../policies/bundle-checks.js';
import { PolicyService } from '../policies/policy.service.js';
import type { PatientRequest } from '../requests/preferences.js';
import type { ChangedToolPolicy, ToolPolicyAnswer, ToolPolicyRequest } from './tool-policies.schemas.js';

type ToolPolicyFields = ChangeFields<'tool_policy_set'>;
type EditRequest = ConditionalRequest & PatientRequest;

const noRow = (): Refusal => new Refusal('not-found', 'this tool has no policy row', { reason: 'tool_policy_not_found' });
const NO_FINDINGS: BundleFindings = { faults: [], warnings: [] };
const issueOf = ({ field, reason }: RuleFinding) => ({ path: field, code: 'rule', message: reason });

function answerOf(row: Omit<ToolPolicyFields, 'by'> & { by?: unknown }): ToolPolicyAnswer {
  const { changed_at_ms, by: _by, ...rest } = row;
  return { ...rest, changed_at: new Date(changed_at_ms).toISOString() } as ToolPolicyAnswer;
}

/** The tenant's overrides of tiers (Korso's tool_policy); `*` is the default for tools without a row. */
@Injectable()
export class ToolPoliciesService {
  constructor(private readonly policies: PolicyService) {}

  list(tenant_id: string, query: PageQuery): Page<ToolPolicyAnswer & { etag: string }> {
    const shown = (row: ToolOverride) => ({ ...answerOf(row), etag: this.etag(tenant_id, row.tool) });
    return pageOf([...this.rows(tenant_id).values()], storeQuery(query), (row) => row.tool, shown);
  }

  read(tenant_id: string, tool: string): { policy: ToolPolicyAnswer; etag: string } | Refusal {
    const row = this.rows(tenant_id).get(tool);
    return row ? { policy: answerOf(row), etag: this.etag(tenant_id, tool) } : noRow();
  }

  set(caller: Caller, tool: string, body: ToolPolicyRequest, request: EditRequest) {
    const draft = () => this.faultOf(caller.tenant_id, tool, body) ?? this.fields(caller, tool, body);
    return this.edit(caller.tenant_id, tool, request, draft);
  }

  remove({ tenant_id, principal }: Caller, tool: string, request: EditRequest) {
    return this.edit(tenant_id, tool, request, () => {
      const row = this.rows(tenant_id).get(tool);
      return row ? { ...row, tier: null, by: principal, changed_at_ms: this.now_ms() } : noRow();
    });
  }

  private now_ms(): number {
    return this.policies.configuration.clock.now_ms();
  }

  private etag(tenant_id: string, tool: string): string {
    return this.policies.configuration.edits.etag(tenant_id, itemNames.tool_policy(tool));
  }

  /** Refuses a row for an unknown tool or with unknown people: it could never be approved. */
  private faultOf(tenant_id: string, tool: string, { requirement }: ToolPolicyRequest): Refusal | undefined {
    const names = this.policies.known(tenant_id).contracts.map(({ name }) => name);
    if (tool !== '*' && !names.includes(tool)) {
      const nearest = nearestNames(tool, [...new Set(names)]);
      return new Refusal('unusable-policy', `the tool ${tool} does not exist: use an existing tool, or * for all`, { nearest });
    }
    const faults = this.people(tenant_id, tool, requirement).faults.map(issueOf);
    return faults[0] && new Refusal('unusable-policy', `${faults[0].path}: ${faults[0].message}`, { issues: faults });
  }

  private people(tenant_id: string, tool: string, requirement: ApprovalRequirement | null | undefined): BundleFindings {
    if (!requirement) return NO_FINDINGS;
    return peopleFindings(requirement, this.policies.known(tenant_id), { rule: `tool.${tool}`, field: '/requirement' });
  }

  private rows(tenant_id: string): ReadonlyMap<string, ToolOverride> {
    return this.policies.configuration.state.by_tenant.get(tenant_id)?.overrides ?? new Map();
  }

  /** Responds once the running instances apply it. */
  private async edit(
    tenant_id: string,
    tool: string,
    request: EditRequest,
    draft: () => ToolPolicyFields | Refusal,
  ): Promise<{ policy: ChangedToolPolicy; etag: string } | Refusal> {
    const item = itemNames.tool_policy(tool);
    const edited = await this.policies.editEverywhere(request, { tenant_id, type: 'tool_policy_set', item, draft });
    if (edited instanceof Refusal) return edited;
    const warnings = this.people(tenant_id, edited.fields.tool, edited.fields.requirement).warnings.map(issueOf);
    return { policy: { ...answerOf(edited.fields), ...edited.everywhere, warnings }, etag: edited.etag };
  }

  private fields(caller: Caller, tool: string, body: ToolPolicyRequest): ToolPolicyFields {
    return {
      tool,
      tier: body.tier,
      rule_id: body.rule_id ?? `tool_policy/${tool}`,
      approver_roles: body.approver_roles,
      quorum: body.quorum,
      expires_after_ms: body.expires_after_ms ?? null,
      requirement: body.requirement ?? null,
      by: caller.principal,
      changed_at_ms: this.now_ms(),
    };
  }
}
