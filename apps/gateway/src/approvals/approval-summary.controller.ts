import type { IncomingHttpHeaders } from 'node:http';
import { type Caller, Views } from '@countersign/calls';
import { pendingApprovals, SUMMARY_MAX } from '@countersign/store';
import { Controller, Get, Headers, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { isoOf } from '../answers/shared-schemas.js';
import { Roles } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { HttpReply } from '../http/reply.js';
import { behindHeader, viewsHeader } from '../positions/positions.js';
import { type ApprovalSummary, approvalSummary } from './approval-summary.schemas.js';

/** `GET /v1/approvals/summary`: how many requests wait for approvers, and for how long. */
@ApiTags('approvals')
@Controller('v1/approvals/summary')
export class ApprovalSummaryController {
  constructor(private readonly views: Views) {}

  @Get()
  @Roles()
  @ApiOperation({ summary: 'Count pending approvals, with the time of the oldest' })
  @Answer(approvalSummary, { headers: viewsHeader })
  async read(
    @CurrentCaller() { tenant_id }: Caller,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: HttpReply,
  ): Promise<ApprovalSummary> {
    reply.headers(await behindHeader(this.views, { headers }));
    const groups = await pendingApprovals(this.views.store, tenant_id);
    const pending = groups.reduce((sum, group) => sum + group.pending, 0);
    return {
      pending,
      oldest_pending_at: isoOf(groups[0]?.oldest_pending_at_ms ?? null),
      truncated: pending === SUMMARY_MAX,
      groups: groups.map(({ tier, approver_roles, pending, oldest_pending_at_ms }) => ({
        tier,
        approver_roles: JSON.parse(approver_roles) as string[],
        pending,
        oldest_pending_at: isoOf(oldest_pending_at_ms),
      })),
    };
  }
}
