import { canonicalText, normalise, sha256Hex, uuidv7 } from '@countersign/contracts';
import type { CallState, PlacedEvent } from '@countersign/domain';
import { type ApprovalRow, listApprovals, readApproval } from '@countersign/store';
import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import type { Caller } from '../identity/authenticator.js';
import { approvalFace } from './approval-face.js';
import { parseBody } from './body-issues.js';
import { Face } from './face.js';
import { KnownCalls } from './known-calls.js';
import { listed } from './lists.js';
import { Problem } from './problem.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';
import { viewsBehind } from './views.js';
import { refusedAs, verdictOn } from './vote-verdict.js';

export const approvalFilters = { status: z.enum(['pending', 'granted', 'denied', 'expired', 'cancelled']).optional() };

export const voteRequest = z.strictObject({
  vote: z.enum(['approve', 'deny', 'edit', 'delegate', 'revoke']),
  reason: z.string().min(1).max(2000).optional(),
  inputs: z.record(z.string(), z.unknown()).optional().describe('with `edit`: the inputs to run with'),
  grant: z
    .strictObject({ scope: z.enum(['case', 'run', 'tool']), for_ms: z.int().min(1000) })
    .optional()
    .describe('with `approve`: approve similar calls of the same requester for this long too'),
  to: z.string().min(1).max(200).optional().describe('with `delegate`: who decides instead'),
});

const PATIENCE_MS = 10_000;
const noSuchApproval = (): Problem => new Problem('not-found', 'there is no approval of this id');

/** `/v1/approvals`: what waits for a person, and the votes. Whether a vote counts is policy's. */
@Controller('v1/approvals')
export class ApprovalsController {
  constructor(
    private readonly face: Face,
    private readonly calls: KnownCalls,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const query = listed(request, approvalFilters);
      if (query instanceof Problem) return query;
      await this.calls.views.current(request);
      const page = await listApprovals(this.calls.views.store, { tenant_id: caller.tenant_id, ...query });
      return ok({ items: page.items.map((row) => approvalFace(row, caller)), next_cursor: page.next_cursor });
    });
  }

  @Get(':approval_id')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const row = await this.find(request, caller);
      if (row instanceof Problem) return row;
      const state = stateOf(row);
      const { approval_id } = row;
      const viewed_at_ms = this.calls.commands.clock.now_ms();
      if (state?.call) await this.calls.commands.record('approval_viewed', state, { approval_id, viewer: caller.principal, viewed_at_ms });
      return ok(approvalFace(row, caller));
    });
  }

  @Post(':approval_id/votes')
  @HttpCode(200)
  vote(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const row = await this.find(request, caller);
      if (row instanceof Problem) return row;
      if (caller.principal.kind === 'agent') return new Problem('forbidden', 'an agent cannot vote: a person decides');
      const body = parseBody(voteRequest, request.body);
      if (body instanceof Problem) return body;
      const state = stateOf(row);
      if (row.status !== 'pending' || !state)
        return new Problem('late-vote', `the approval is ${row.status}`, { approval_status: row.status });
      return this.cast(request, caller, row, { state, body });
    });
  }

  private async find(request: HttpRequest, caller: Caller): Promise<ApprovalRow | Problem> {
    const current = await this.calls.views.current(request);
    const { approval_id } = request.params as { approval_id: string };
    const row = await readApproval(this.calls.views.store, caller.tenant_id, approval_id);
    return row ?? (current ? noSuchApproval() : viewsBehind());
  }

  private async cast(
    request: HttpRequest,
    caller: Caller,
    row: ApprovalRow,
    { state, body }: { state: CallState; body: z.infer<typeof voteRequest> },
  ): Promise<Answer | Problem> {
    const voted_at_ms = this.calls.commands.clock.now_ms();
    const inputs_json = body.inputs === undefined ? null : canonicalText(normalise(body.inputs));
    const vote = {
      approval_id: row.approval_id,
      vote_id: uuidv7(voted_at_ms),
      vote: body.vote,
      reason: body.reason ?? null,
      inputs_json,
      inputs_digest: inputs_json === null ? null : sha256Hex(inputs_json),
      to: body.to ?? null,
      edited: null,
      grant: body.grant ?? null,
      voter: caller.principal,
      voted_at_ms,
    };
    const check = (_state: CallState, at: PlacedEvent | undefined) => verdictOn(vote, at);
    const verdict = await this.calls.tell('approval_voted', state, vote, { check, timeout_ms: PATIENCE_MS });
    if (verdict?.kind === 'refused') {
      const latest = await this.find(request, caller);
      const more = { vote_id: vote.vote_id, approval_status: latest instanceof Problem ? row.status : latest.status };
      return new Problem(refusedAs(verdict.code), verdict.reason, { ...more, refusal: verdict.code });
    }
    this.calls.noted(verdict?.at);
    const now = await this.find(request, caller);
    if (now instanceof Problem) return now;
    return { status: verdict ? 200 : 202, body: { ...approvalFace(now, caller), vote_id: vote.vote_id } };
  }
}

function stateOf(row: ApprovalRow): CallState | undefined {
  return row.state_json === null ? undefined : (JSON.parse(row.state_json) as CallState);
}
