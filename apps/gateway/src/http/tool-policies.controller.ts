import { type Caller, Refusal } from '@countersign/calls';
import type { ApprovalRequirement } from '@countersign/contracts';
import { DAY_MS, itemNames, nearestNames, type ToolOverride } from '@countersign/domain';
import { Controller, Delete, Get, Put, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { roles } from '../identity/authenticator.js';
import type { ChangeFields } from '../identity/configuration-writer.js';
import { type BundleFindings, peopleFindings, type RuleFinding } from '../policies/bundle-checks.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { approvalRequirement } from '../requests/approval-requirement.js';
import { parseBody } from '../requests/body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

export const toolPolicyRequest = z.strictObject({
  tier: z.enum(['tier_0_safe', 'tier_1_auto', 'tier_2_approval_required', 'tier_3_blocked']),
  rule_id: z.string().min(1).max(200).optional(),
  approver_roles: z.array(z.enum(roles)).min(1).max(roles.length).default(['approver']),
  quorum: z.int().min(1).max(20).default(1),
  expires_after_ms: z
    .int()
    .min(1000)
    .max(90 * DAY_MS)
    .optional()
    .describe('how long an approval is waited for'),
  requirement: approvalRequirement.optional().describe('instead of approver_roles, quorum and expires_after_ms'),
});

const noRow = (): Refusal => new Refusal('not-found', 'there is no policy row for this tool');
const NO_FINDINGS: BundleFindings = { faults: [], warnings: [] };
const issueOf = ({ field, reason }: RuleFinding) => ({ path: field, code: 'rule', message: reason });
const toolOf = (request: HttpRequest): string => (request.params as { tool: string }).tool;

type ToolPolicyFields = ChangeFields<'tool_policy_set'>;

function rowFace(row: Omit<ToolPolicyFields, 'by'> & { by?: unknown }): Record<string, unknown> {
  const { changed_at_ms, by: _by, ...rest } = row;
  return { ...rest, changed_at: new Date(changed_at_ms).toISOString() };
}

/** `/v1/policies/tools`: the tenant's overrides of tiers (Korso's tool_policy); `*` stands for every tool without a row. */
@Controller('v1/policies/tools')
export class ToolPoliciesController {
  constructor(
    private readonly face: Face,
    private readonly room: PolicyRoom,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], (caller) => {
      const page = listed(request);
      const shown = (row: ToolOverride) => ({ ...rowFace(row), etag: this.etag(caller, row.tool) });
      return page instanceof Refusal ? page : ok(pageOf([...this.rows(caller).values()], page, (row) => row.tool, shown));
    });
  }

  @Get(':tool')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], (caller) => {
      const row = this.rows(caller).get(toolOf(request));
      return row ? ok(rowFace(row), { etag: this.etag(caller, row.tool) }) : noRow();
    });
  }

  @Put(':tool')
  set(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], (caller) => {
      const body = parseBody(toolPolicyRequest, request.body);
      if (body instanceof Refusal) return body;
      const draft = () => this.faultOf(caller, toolOf(request), body) ?? this.fields(caller, toolOf(request), body);
      return this.edit(request, caller, draft);
    });
  }

  @Delete(':tool')
  remove(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], async (caller) => {
      const removed = await this.edit(request, caller, () => {
        const row = this.rows(caller).get(toolOf(request));
        return row ? { ...row, tier: null, by: caller.principal, changed_at_ms: this.now_ms() } : noRow();
      });
      return removed instanceof Refusal ? removed : { status: 204 };
    });
  }

  private now_ms(): number {
    return this.room.configuration.clock.now_ms();
  }

  private etag({ tenant_id }: Caller, tool: string): string {
    return this.room.configuration.edits.etag(tenant_id, itemNames.tool_policy(tool));
  }

  /** A row about no tool, or one that asks people who are not there, would ask nobody. */
  private faultOf({ tenant_id }: Caller, tool: string, { requirement }: z.infer<typeof toolPolicyRequest>): Refusal | undefined {
    const names = this.room.known(tenant_id).contracts.map(({ name }) => name);
    if (tool !== '*' && !names.includes(tool)) {
      const nearest = nearestNames(tool, [...new Set(names)]);
      return new Refusal('unusable-policy', `there is no tool ${tool}: name one that is there, or * for all`, { nearest });
    }
    const faults = this.people(tenant_id, tool, requirement).faults.map(issueOf);
    return faults[0] && new Refusal('unusable-policy', `${faults[0].path}: ${faults[0].message}`, { issues: faults });
  }

  private people(tenant_id: string, tool: string, requirement: ApprovalRequirement | null | undefined): BundleFindings {
    if (!requirement) return NO_FINDINGS;
    return peopleFindings(requirement, this.room.known(tenant_id), { rule: `tool.${tool}`, field: '/requirement' });
  }

  private rows(caller: Caller): ReadonlyMap<string, ToolOverride> {
    return this.room.configuration.state.by_tenant.get(caller.tenant_id)?.overrides ?? new Map();
  }

  /** Answers once the running instances rule by it. */
  private async edit(request: HttpRequest, { tenant_id }: Caller, draft: () => ToolPolicyFields | Refusal): Promise<Answer | Refusal> {
    const item = itemNames.tool_policy(toolOf(request));
    const edited = await this.room.editEverywhere(request, { tenant_id, type: 'tool_policy_set', item, draft });
    if (edited instanceof Refusal) return edited;
    const { tool, requirement } = edited.fields;
    const warnings = this.people(tenant_id, tool, requirement).warnings.map(issueOf);
    return ok({ ...rowFace(edited.fields), ...edited.everywhere, warnings }, { etag: edited.etag });
  }

  private fields(caller: Caller, tool: string, body: z.infer<typeof toolPolicyRequest>): ToolPolicyFields {
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
