import { setTimeout as sleep } from 'node:timers/promises';
import { RecordedCalls, Refusal, type Seen } from '@countersign/calls';
import { type EditedInputs, uuidv7 } from '@countersign/contracts';
import { type CallState, machineObjection, type PlacedEvent } from '@countersign/domain';
import type { ApprovalRow } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { VerifiedTokens } from '../authentication/verified-tokens.js';
import type { VotedApproval } from './approval-answers.schemas.js';
import type { VoteRequest } from './approval-requests.schemas.js';
import { ApprovalsService, callOfRequest, type Voter } from './approvals.service.js';
import { EditService } from './edit.service.js';
import { refusedAs, verdictOn } from './vote-verdict.js';

const JUDGED_WITHIN_MS = 10_000;
const LOOKS_MAX = 40;
const LOOK_MS = 25;

/** A recorded vote. */
export interface CastVote {
  approval: VotedApproval;
  /** False: the policy service has not decided on it yet. */
  is_judged: boolean;
}

interface Ballot {
  row: ApprovalRow;
  state: CallState;
  body: VoteRequest;
  edited: EditedInputs | null;
}

/** Refuses members that belong to another kind of vote, for example inputs with an approval. */
function misplacedIn({ vote, inputs, to, grant }: VoteRequest): string | undefined {
  if ((vote === 'edit') !== (inputs !== undefined)) return '`inputs` is required with the vote `edit` and not allowed with other votes';
  if ((vote === 'delegate') !== (to !== undefined)) return '`to` is required with the vote `delegate` and not allowed with other votes';
  return grant !== undefined && vote !== 'approve' && vote !== 'edit' ? '`grant` is allowed only with the vote `approve`' : undefined;
}

/** How a request ended, who decided it and when; nulls while it is open. */
function outcomeOf({ status, ended_by, ended_at_ms }: ApprovalRow): Record<string, unknown> {
  return { approval_status: status, decided_by: ended_by, decided_at: ended_at_ms === null ? null : new Date(ended_at_ms).toISOString() };
}

/** The refusal of a vote on a closed request: it says who was faster, and when. */
function lateVote(row: ApprovalRow): Refusal {
  const { decided_by, decided_at, approval_status } = outcomeOf(row);
  const who = decided_by === null ? '' : ` by ${String(decided_by)}`;
  const when = decided_at === null ? '' : ` at ${String(decided_at)}`;
  return new Refusal('late-vote', `the approval is ${String(approval_status)}${who}${when}`, outcomeOf(row));
}

/** Records votes and returns the decision of the policy service. Only the policy service decides whether a vote counts. */
@Injectable()
export class VotesService {
  constructor(
    private readonly calls: RecordedCalls,
    private readonly approvals: ApprovalsService,
    private readonly edits: EditService,
    /** Records the use of the voter's token before the vote. */
    private readonly verified: VerifiedTokens,
  ) {}

  async vote(voter: Voter, approval_id: string, body: VoteRequest, seen: Seen): Promise<CastVote | Refusal> {
    const row = await this.approvals.find(voter.tenant_id, approval_id, seen);
    if (row instanceof Refusal) return row;
    const machine = machineObjection(voter.principal);
    if (machine) return new Refusal('forbidden', machine.reason, { reason: 'user_required' });
    const state = callOfRequest(row);
    if (!state?.call || (row.status !== 'pending' && !(row.status === 'granted' && body.vote === 'revoke'))) return lateVote(row);
    const misplaced = misplacedIn(body);
    if (misplaced) return new Refusal('invalid-request', misplaced);
    const edited = body.vote === 'edit' ? await this.edits.edited(voter.tenant_id, state.call, body.inputs ?? {}) : null;
    if (edited instanceof Refusal) return edited;
    const { sealer } = this.edits;
    const sealed = edited && (await sealer.edited(voter.tenant_id, state.call, edited));
    if (sealed instanceof Refusal) return sealed;
    const reason = await sealer.text(voter.tenant_id, state.call, body.reason ?? null);
    if (reason instanceof Refusal) return reason;
    await this.verified.ensure(voter);
    return this.cast(voter, { row, state, body: { ...body, reason: reason ?? undefined }, edited: sealed }, seen);
  }

  private async cast(voter: Voter, { row, state, body, edited }: Ballot, seen: Seen): Promise<CastVote | Refusal> {
    const voted_at_ms = this.calls.commands.clock.now_ms();
    const { approval_id } = row;
    const vote = {
      approval_id,
      vote_id: uuidv7(voted_at_ms),
      vote: body.vote,
      reason: body.reason ?? null,
      inputs_json: edited?.inputs_json ?? null,
      inputs_digest: edited?.inputs_digest ?? null,
      to: body.to ?? null,
      edited,
      grant: body.grant ?? null,
      voter: voter.principal,
      voter_issuer: voter.issuer,
      voted_at_ms,
    };
    const check = (_state: CallState, at: PlacedEvent | undefined) => verdictOn(vote, at);
    const verdict = await this.calls.command('approval_voted', state, vote, { check, timeout_ms: JUDGED_WITHIN_MS });
    if (verdict?.kind === 'refused') {
      const { kind, ...cause } = refusedAs(verdict.code);
      const latest = kind === 'late-vote' ? await this.closed(row, seen) : await this.approvals.find(voter.tenant_id, approval_id, seen);
      const now = latest instanceof Refusal ? row : latest;
      return new Refusal(kind, verdict.reason, { ...cause, vote_id: vote.vote_id, ...outcomeOf(now), refusal: verdict.code });
    }
    this.calls.noted(verdict?.at);
    const now = await this.requestAfter(voter.tenant_id, approval_id, verdict?.at, seen);
    if (now instanceof Refusal) return now;
    return { approval: { ...this.approvals.answer(now, voter), vote_id: vote.vote_id }, is_judged: verdict !== undefined };
  }

  /** The request of a vote that came too late, once the views show its end; its earlier state if that takes long. */
  private async closed(row: ApprovalRow, seen: Seen): Promise<ApprovalRow | Refusal> {
    let latest: ApprovalRow | Refusal = row;
    for (let look = 0; look < LOOKS_MAX; look++) {
      latest = await this.approvals.find(row.tenant_id, row.approval_id, seen);
      if (latest instanceof Refusal || latest.status !== 'pending') break;
      await sleep(LOOK_MS);
    }
    return latest;
  }

  /** The current request. After an edit it is the next one, once the views have it (the order of its two topics is not fixed). */
  private async requestAfter(
    tenant_id: string,
    approval_id: string,
    at: PlacedEvent | undefined,
    seen: Seen,
  ): Promise<ApprovalRow | Refusal> {
    const next = (at && 'approval_id' in at.event ? at.event.approval_id : null) ?? approval_id;
    for (let look = 0; next !== approval_id && look < LOOKS_MAX; look++) {
      const row = await this.approvals.find(tenant_id, next, seen);
      if (!(row instanceof Refusal)) return row;
      await sleep(LOOK_MS);
    }
    return this.approvals.find(tenant_id, approval_id, seen);
  }
}
