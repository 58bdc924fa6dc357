import { type Caller, Refusal } from '@countersign/calls';
import { listApprovals } from '@countersign/store';
import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { parseBody } from '../requests/body-issues.js';
import { approvalFace } from './approval-face.js';
import { Face } from './face.js';
import { listed } from './lists.js';
import { behindHeader } from './positions.js';
import { problemDocument, problemStatus } from './problem.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';
import { stateOf, VoteRoom, voteRequest } from './vote-room.js';

export const approvalFilters = {
  status: z.enum(['pending', 'granted', 'denied', 'expired', 'cancelled', 'superseded']).optional(),
  tool: z.string().min(1).max(200).optional(),
  like: z.string().min(1).max(200).optional().describe('an approval_id: requests that the same rule asks about the same tool'),
};

const TOGETHER_MAX = 100;

export const votesRequest = z.strictObject({
  approval_ids: z.array(z.string().min(1).max(200)).min(1).max(TOGETHER_MAX),
  vote: z.enum(['approve', 'deny', 'revoke']),
  reason: z.string().min(1).max(2000).optional(),
});

/** `/v1/approvals`: what waits for a person, and the votes. Whether a vote counts is policy's. */
@Controller('v1/approvals')
export class ApprovalsController {
  constructor(
    private readonly face: Face,
    private readonly room: VoteRoom,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const query = listed(request, approvalFilters);
      if (query instanceof Refusal) return query;
      const { views } = this.room.calls;
      const told = await behindHeader(views, request);
      const { like, ...filters } = query;
      const likeness = like === undefined ? {} : await this.likeness(request, caller, like);
      if (likeness instanceof Refusal) return likeness;
      const page = await listApprovals(views.store, { tenant_id: caller.tenant_id, ...filters, ...likeness });
      return ok({ items: page.items.map((row) => approvalFace(row, caller)), next_cursor: page.next_cursor }, told);
    });
  }

  @Get(':approval_id')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const row = await this.room.find(request, caller.tenant_id, idOf(request));
      if (row instanceof Refusal) return row;
      await this.room.viewed(row, caller);
      return ok(approvalFace(row, caller));
    });
  }

  /** One vote on many requests: each is decided by itself, and its answer says how. */
  @Post('votes')
  @HttpCode(200)
  voteOnMany(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const body = parseBody(votesRequest, request.body);
      if (body instanceof Refusal) return body;
      const { approval_ids, ...vote } = body;
      const items = await Promise.all([...new Set(approval_ids)].map((id) => this.one(request, caller, id, vote)));
      return ok({ items });
    });
  }

  @Post(':approval_id/votes')
  @HttpCode(200)
  vote(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const body = parseBody(voteRequest, request.body);
      return body instanceof Refusal ? body : this.room.vote(request, caller, idOf(request), body);
    });
  }

  /** What requests have in common with this one, that may be decided together. */
  private async likeness(
    request: HttpRequest,
    { tenant_id }: Caller,
    approval_id: string,
  ): Promise<{ tool?: string; rule?: string } | Refusal> {
    const row = await this.room.find(request, tenant_id, approval_id);
    if (row instanceof Refusal) return row;
    const tool = stateOf(row)?.call?.tool;
    const { rule } = row.requirement;
    return { ...(tool === undefined ? {} : { tool }), ...(rule === null ? {} : { rule }) };
  }

  private async one(
    request: HttpRequest,
    caller: Caller,
    approval_id: string,
    vote: Omit<z.infer<typeof votesRequest>, 'approval_ids'>,
  ): Promise<Record<string, unknown>> {
    const answer: Answer | Refusal = await this.room.vote(request, caller, approval_id, vote);
    if (answer instanceof Refusal)
      return { approval_id, status: problemStatus(answer), problem: problemDocument(answer, `/v1/approvals/${approval_id}/votes`) };
    return { approval_id, status: answer.status, approval: answer.body };
  }
}

const idOf = (request: HttpRequest): string => (request.params as { approval_id: string }).approval_id;
