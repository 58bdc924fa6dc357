import type { IncomingHttpHeaders } from 'node:http';
import { type Caller, Refusal, type Seen, Views } from '@countersign/calls';
import { Body, Controller, Get, Headers, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { AlsoAnswers, Answer } from '../http/answer.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { problemDocument, problemStatus } from '../http/problem.js';
import type { HttpReply } from '../http/reply.js';
import { behindHeader, viewsHeader } from '../positions/positions.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import {
  type ApprovalListQuery,
  approvalListQuery,
  approvalPage,
  approvalWithFacts,
  type VoteOutcome,
  votedApproval,
  voteOutcomes,
} from './approval-answers.schemas.js';
import { type VoteRequest, type VotesRequest, voteRequest, votesRequest } from './approval-requests.schemas.js';
import { ApprovalsService } from './approvals.service.js';
import { type CastVote, VotesService } from './votes.service.js';

const statusOf = ({ is_judged }: CastVote): number => (is_judged ? 200 : 202);

/** `/v1/approvals`: pending approval requests and votes. */
@ApiTags('approvals')
@Roles()
@Controller('v1/approvals')
export class ApprovalsController {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly votes: VotesService,
    private readonly views: Views,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List approvals, oldest first' })
  @Answer(approvalPage, { headers: viewsHeader })
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: approvalListQuery }) query: ApprovalListQuery,
    @Headers() headers: IncomingHttpHeaders,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const behind = await behindHeader(this.views, { headers });
    const page = await this.approvals.list(caller, query, seen);
    if (!(page instanceof Refusal)) reply.headers(behind);
    return page;
  }

  @Get(':approval_id')
  @ApiOperation({ summary: 'Read an approval', description: 'With everything that an approver must know, computed from recorded facts.' })
  @Answer(approvalWithFacts)
  read(@CurrentCaller() caller: Caller, @Param('approval_id') approval_id: string, @SeenPositions() seen: Seen) {
    return this.approvals.read(caller, approval_id, seen);
  }

  @Post('votes')
  @ApiOperation({ summary: 'Vote on many requests at once', description: 'Each vote is decided on its own and has its own outcome.' })
  @Answer(voteOutcomes)
  async voteOnMany(
    @CurrentCaller() caller: Caller,
    @Body({ schema: votesRequest }) { approval_ids, ...vote }: VotesRequest,
    @SeenPositions() seen: Seen,
  ) {
    const ids = [...new Set(approval_ids)];
    return { items: await Promise.all(ids.map(async (id) => outcomeOf(id, await this.votes.vote(caller, id, vote, seen)))) };
  }

  @Post(':approval_id/votes')
  @ApiOperation({ summary: 'Vote' })
  @Answer(votedApproval)
  @AlsoAnswers(202, votedApproval, 'the vote is recorded; policy has not evaluated it yet')
  async vote(
    @CurrentCaller() caller: Caller,
    @Param('approval_id') approval_id: string,
    @Body({ schema: voteRequest }) body: VoteRequest,
    @SeenPositions() seen: Seen,
    @Res({ passthrough: true }) reply: HttpReply,
  ) {
    const cast = await this.votes.vote(caller, approval_id, body, seen);
    if (cast instanceof Refusal) return cast;
    reply.code(statusOf(cast));
    return cast.approval;
  }
}

function outcomeOf(approval_id: string, cast: CastVote | Refusal): VoteOutcome {
  if (!(cast instanceof Refusal)) return { approval_id, status: statusOf(cast), approval: cast.approval };
  const problem = problemDocument(cast, `/v1/approvals/${approval_id}/votes`) as VoteOutcome['problem'];
  return { approval_id, status: problemStatus(cast), problem };
}
