import { Refusal } from '@countersign/calls';
import { DAY_MS, qualityBy, qualityOf } from '@countersign/domain';
import { countedVotes } from '@countersign/store';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { Face } from './face.js';
import { fromQuery, queryOf } from './from-query.js';
import { behindHeader } from './positions.js';
import { type HttpReply, type HttpRequest, ok } from './reply.js';
import { VoteRoom } from './vote-room.js';

const DECISIONS_MAX = 20_000;

export const qualityQuery = {
  days: fromQuery(z.number().int().min(1).max(366)).default(30).describe('how far to look back'),
  price_of_hour: fromQuery(z.number().min(0).max(1_000_000)).optional().describe('what an hour of an approver costs'),
};

/** `GET /v1/approvals/quality`: how well people decide, per approver and rule, and where approving has become a reflex. */
@Controller('v1/approvals/quality')
export class ApprovalQualityController {
  constructor(
    private readonly face: Face,
    private readonly room: VoteRoom,
  ) {}

  @Get()
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['auditor', 'operator', 'policy_admin'], async (caller) => {
      const query = queryOf(request, qualityQuery);
      if (query instanceof Refusal) return query;
      const { views, commands } = this.room.calls;
      const told = await behindHeader(views, request);
      const since_ms = commands.clock.now_ms() - query.days * DAY_MS;
      const decisions = await countedVotes(views.store, { tenant_id: caller.tenant_id, since_ms, limit: DECISIONS_MAX });
      const price = query.price_of_hour ?? null;
      return ok(
        {
          since: new Date(since_ms).toISOString(),
          truncated: decisions.length === DECISIONS_MAX,
          all: qualityOf(decisions, price),
          approvers: qualityBy(decisions, (one) => one.voter_id, price),
          rules: qualityBy(decisions, (one) => one.rule ?? 'unknown', price),
        },
        told,
      );
    });
  }
}
