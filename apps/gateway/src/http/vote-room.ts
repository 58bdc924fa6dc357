import { setTimeout as sleep } from 'node:timers/promises';
import { type Caller, type RecordedCalls, Refusal, viewsBehind } from '@countersign/calls';
import { type EditedInputs, uuidv7 } from '@countersign/contracts';
import { type CallState, machineObjection, type PlacedEvent, unpackCall } from '@countersign/domain';
import { type ApprovalRow, readApproval } from '@countersign/store';
import { z } from 'zod';
import { principalId } from '../identity/principal-id.js';
import type { VerifiedTokens } from '../identity/verified-tokens.js';
import type { EditDesk } from '../votes/edited-inputs.js';
import { approvalFace } from './approval-face.js';
import { seenOf } from './positions.js';
import type { Answer, HttpRequest } from './reply.js';
import { refusedAs, verdictOn } from './vote-verdict.js';

export const voteRequest = z.strictObject({
  vote: z.enum(['approve', 'deny', 'edit', 'delegate', 'revoke']),
  reason: z.string().min(1).max(2000).optional(),
  inputs: z.record(z.string(), z.unknown()).optional().describe('with `edit`: the inputs to run with; the request that follows binds them'),
  to: principalId.optional().describe('with `delegate`: who decides instead'),
  grant: z
    .strictObject({ scope: z.enum(['case', 'run', 'tool']), for_ms: z.int().min(1000), uses: z.int().min(1).max(1000).default(1) })
    .optional()
    .describe(
      'with `approve`: approve so many similar calls of the same requester for this long too; inputs that the tool contract does not mark must be equal',
    ),
});

export type VoteRequest = z.infer<typeof voteRequest>;
export type Voter = Pick<Caller, 'tenant_id' | 'principal' | 'issuer' | 'clearances' | 'token'>;

const PATIENCE_MS = 10_000;
const LOOKS_MAX = 40;
const LOOK_MS = 25;
const noSuchApproval = (): Refusal => new Refusal('not-found', 'there is no approval of this id');

export function stateOf(row: ApprovalRow): CallState | undefined {
  return row.state === null ? undefined : unpackCall(row.state);
}

/** What a vote of another kind cannot say: whoever sends inputs with an approval means an edit. */
function misplacedIn({ vote, inputs, to, grant }: VoteRequest): string | undefined {
  if ((vote === 'edit') !== (inputs !== undefined)) return '`inputs` belong to an edit, and an edit names them';
  if ((vote === 'delegate') !== (to !== undefined)) return '`to` belongs to a delegation, and a delegation names it';
  return grant !== undefined && vote !== 'approve' && vote !== 'edit' ? '`grant` belongs to an approval' : undefined;
}

/** What everything does that votes: find the request, put the vote on the record, and answer what policy made of it. */
export class VoteRoom {
  constructor(
    readonly calls: RecordedCalls,
    private readonly edits: EditDesk,
    /** Records that a person came with a token: before a vote, and before somebody else may vote. */
    readonly verified: Pick<VerifiedTokens, 'ensure'>,
  ) {}

  async find(request: HttpRequest, tenant_id: string, approval_id: string): Promise<ApprovalRow | Refusal> {
    const current = await this.calls.views.current(seenOf(request));
    const row = await readApproval(this.calls.views.store, tenant_id, approval_id);
    return row ?? (current ? noSuchApproval() : viewsBehind());
  }

  /** Somebody looked at the request. */
  async viewed(row: ApprovalRow, { principal: viewer }: Voter): Promise<void> {
    const state = stateOf(row);
    if (!state?.call) return;
    const viewed_at_ms = this.calls.commands.clock.now_ms();
    await this.calls.record('approval_viewed', state, { approval_id: row.approval_id, viewer, viewed_at_ms });
  }

  async vote(request: HttpRequest, voter: Voter, approval_id: string, body: VoteRequest): Promise<Answer | Refusal> {
    const row = await this.find(request, voter.tenant_id, approval_id);
    if (row instanceof Refusal) return row;
    const machine = machineObjection(voter.principal);
    if (machine) return new Refusal('forbidden', machine.reason);
    const state = stateOf(row);
    if (!state?.call || (row.status !== 'pending' && !(row.status === 'granted' && body.vote === 'revoke')))
      return new Refusal('late-vote', `the approval is ${row.status}`, { approval_status: row.status });
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
    return this.cast(request, voter, { row, state, body: { ...body, reason: reason ?? undefined }, edited: sealed });
  }

  private async cast(
    request: HttpRequest,
    voter: Voter,
    { row, state, body, edited }: { row: ApprovalRow; state: CallState; body: VoteRequest; edited: EditedInputs | null },
  ): Promise<Answer | Refusal> {
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
    const verdict = await this.calls.command('approval_voted', state, vote, { check, timeout_ms: PATIENCE_MS });
    if (verdict?.kind === 'refused') {
      const latest = await this.find(request, voter.tenant_id, approval_id);
      const approval_status = latest instanceof Refusal ? row.status : latest.status;
      return new Refusal(refusedAs(verdict.code), verdict.reason, { vote_id: vote.vote_id, approval_status, refusal: verdict.code });
    }
    this.calls.noted(verdict?.at);
    const now = await this.after(request, voter, approval_id, verdict?.at);
    if (now instanceof Refusal) return now;
    return { status: verdict ? 200 : 202, body: { ...approvalFace(now, voter), vote_id: vote.vote_id } };
  }

  /** The request that stands now: after an edit the next one, as soon as the views have it (its two topics come in any order). */
  private async after(
    request: HttpRequest,
    { tenant_id }: Voter,
    approval_id: string,
    at: PlacedEvent | undefined,
  ): Promise<ApprovalRow | Refusal> {
    const next = (at && 'approval_id' in at.event ? at.event.approval_id : null) ?? approval_id;
    for (let look = 0; next !== approval_id && look < LOOKS_MAX; look++) {
      const row = await this.find(request, tenant_id, next);
      if (!(row instanceof Refusal)) return row;
      await sleep(LOOK_MS);
    }
    return this.find(request, tenant_id, approval_id);
  }
}
