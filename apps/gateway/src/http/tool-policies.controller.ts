import type { EventMap } from '@countersign/contracts';
import { DAY_MS, type ToolOverride } from '@countersign/domain';
import { Controller, Delete, Get, Put, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { type Caller, roles } from '../identity/authenticator.js';
import { peopleFindings } from '../policies/bundle-checks.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { approvalRequirement } from './approval-requirement.js';
import { parseBody } from './body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { Problem } from './problem.js';
import { type Answer, type HttpReply, type HttpRequest, headerOf, ok } from './reply.js';

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

const noRow = (): Problem => new Problem('not-found', 'there is no policy row for this tool');
const toolOf = (request: HttpRequest): string => (request.params as { tool: string }).tool;
const etagOf = (row: Pick<ToolOverride, 'changed_at_ms'>): string => `"${row.changed_at_ms}"`;

/** A row, and where it stands on configuration-changed. */
interface WrittenRow {
  row: Omit<EventMap['tool_policy_set'], 'meta' | 'by'>;
  offset: number;
}

function rowFace(row: WrittenRow['row']): Record<string, unknown> {
  const { changed_at_ms, ...rest } = row;
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
      return page instanceof Problem ? page : ok(pageOf([...this.rows(caller).values()], page, (row) => row.tool, rowFace));
    });
  }

  @Get(':tool')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], (caller) => {
      const row = this.rows(caller).get(toolOf(request));
      return row ? ok(rowFace(row), { etag: etagOf(row) }) : noRow();
    });
  }

  @Put(':tool')
  set(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], async (caller) => {
      const body = parseBody(toolPolicyRequest, request.body);
      if (body instanceof Problem) return body;
      const fault = this.faultOf(caller, toolOf(request), body);
      if (fault) return fault;
      const written = await this.inTurn(caller, () => this.stale(request, caller) ?? this.write(caller, toolOf(request), body));
      return written instanceof Problem ? written : this.told(written);
    });
  }

  @Delete(':tool')
  remove(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], async (caller) => {
      const written = await this.inTurn(caller, () => {
        const row = this.rows(caller).get(toolOf(request));
        if (!row) return noRow();
        return this.stale(request, caller) ?? this.record(caller, { ...row, tier: null, changed_at_ms: this.later(row) });
      });
      if (written instanceof Problem) return written;
      await this.told(written);
      return { status: 204 };
    });
  }

  /** A row about no tool, or one that asks people who are not there, would ask nobody. */
  private faultOf({ tenant_id }: Caller, tool: string, { requirement }: z.infer<typeof toolPolicyRequest>): Problem | undefined {
    const known = this.room.known(tenant_id);
    if (tool !== '*' && !known.contracts.some(({ name }) => name === tool))
      return new Problem('unusable-policy', `there is no tool ${tool}: name one that is there, or * for all`);
    const faults = requirement ? peopleFindings(requirement, known, { rule: `tool.${tool}`, field: '/requirement' }).faults : [];
    const issues = faults.map(({ field, reason }) => ({ path: field, code: 'rule', message: reason }));
    return faults.length > 0 ? new Problem('unusable-policy', `${faults[0]?.field}: ${faults[0]?.reason}`, { issues }) : undefined;
  }

  private rows(caller: Caller): ReadonlyMap<string, ToolOverride> {
    return this.room.configuration.state.by_tenant.get(caller.tenant_id)?.overrides ?? new Map();
  }

  private stale(request: HttpRequest, caller: Caller): Problem | undefined {
    const wanted = headerOf(request, 'if-match');
    if (wanted === undefined) return undefined;
    const row = this.rows(caller).get(toolOf(request));
    const fits = row && (wanted === '*' || wanted.split(',').some((tag) => tag.trim() === etagOf(row)));
    return fits ? undefined : new Problem('precondition-failed', 'the policy row was changed meanwhile: read it again');
  }

  private inTurn({ tenant_id }: Caller, change: () => Problem | Promise<Problem | WrittenRow>): Promise<Problem | WrittenRow> {
    return this.room.configuration.turns.take<Problem | WrittenRow>(tenant_id, change);
  }

  /** The tag of a row is its time: no two versions of a row have the same. */
  private later(row: ToolOverride | undefined): number {
    return Math.max(this.room.configuration.clock.now_ms(), (row?.changed_at_ms ?? 0) + 1);
  }

  private write(caller: Caller, tool: string, body: z.infer<typeof toolPolicyRequest>): Promise<WrittenRow> {
    return this.record(caller, {
      tool,
      tier: body.tier,
      rule_id: body.rule_id ?? `tool_policy/${tool}`,
      approver_roles: body.approver_roles,
      quorum: body.quorum,
      expires_after_ms: body.expires_after_ms ?? null,
      requirement: body.requirement ?? null,
      changed_at_ms: this.later(this.rows(caller).get(tool)),
    });
  }

  private async record(caller: Caller, row: WrittenRow['row']): Promise<WrittenRow> {
    const { offset } = await this.room.configuration.writer.set(caller.tenant_id, 'tool_policy_set', { ...row, by: caller.principal });
    return { row, offset };
  }

  /** Once the running instances rule by it. */
  private async told({ row, offset }: WrittenRow): Promise<Answer> {
    return ok({ ...rowFace(row), config_offset: offset, instances: await this.room.holders(offset) }, { etag: etagOf(row) });
  }
}
