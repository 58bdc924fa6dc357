import { type Caller, pickedOf, RecordedCalls, Refusal, type Seen, viewsBehind } from '@countersign/calls';
import { type CallState, unpackCall } from '@countersign/domain';
import { type ApprovalQuery, type ApprovalRow, type Cursor, listApprovals, readApproval } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { ApprovalFactsService } from '../approval-facts/approval-facts.service.js';
import type { Page } from '../lists/page-query.js';
import { searchedPage } from '../lists/searched-page.js';
import { approvalAnswerOf } from './approval-answer.js';
import { type ApprovalAnswer, type ApprovalListQuery, type ApprovalWithFacts, approvalMembers } from './approval-answers.schemas.js';

/** The reader or voter: a caller, or the person of a decision link. */
export type Voter = Pick<Caller, 'tenant_id' | 'principal' | 'issuer' | 'clearances' | 'token'>;

/** The call of an approval request. It can be undefined for a short time only. */
export function callOfRequest({ state }: ApprovalRow): CallState | undefined {
  return state === null ? undefined : unpackCall(state);
}

function storedQuery({ tenant_id }: Caller, query: ApprovalListQuery): Omit<ApprovalQuery, 'limit'> {
  const { status, tool, requested_after, requested_before } = query;
  return {
    tenant_id,
    ...(status && { status }),
    ...(tool !== undefined && { tool }),
    ...(requested_after !== undefined && { from_ms: requested_after }),
    ...(requested_before !== undefined && { before_ms: requested_before }),
  };
}

/** Approval requests, read from the views. */
@Injectable()
export class ApprovalsService {
  constructor(
    private readonly calls: RecordedCalls,
    private readonly facts: ApprovalFactsService,
  ) {}

  async list(caller: Caller, query: ApprovalListQuery, seen: Seen): Promise<Page<Partial<ApprovalAnswer>> | Refusal> {
    const likeness = query.like === undefined ? {} : await this.likeness(caller.tenant_id, query.like, seen);
    if (likeness instanceof Refusal) return likeness;
    const page = await this.page({ ...storedQuery(caller, query), ...likeness }, query);
    const picked = approvalMembers.picked(query);
    const withSentence = picked?.has('sentence') ?? true;
    const items = page.items.map((row) => (withSentence ? this.answer(row, caller) : approvalAnswerOf(row, caller, null)));
    return { items: picked ? items.map((item) => pickedOf(item, picked)) : items, next_cursor: page.next_cursor };
  }

  /** Filters by caller are not indexed: the caller is part of the call state. */
  private page(about: Omit<ApprovalQuery, 'limit'>, query: ApprovalListQuery): Promise<Page<ApprovalRow>> {
    const read = (limit: number, after: Cursor | undefined) =>
      listApprovals(this.calls.views.store, { ...about, limit, ...(after && { after }) });
    const { principal } = query;
    if (principal === undefined) return read(query.limit, query.cursor);
    const placeOf = ({ requested_at_ms: at, approval_id: id }: ApprovalRow): Cursor => ({ at, id });
    return searchedPage({ read, placeOf, matches: (row) => callOfRequest(row)?.call?.principal.id === principal }, query);
  }

  /** Records each read of a request: it is evidence of what an approver saw before the decision. */
  async read(voter: Voter, approval_id: string, seen: Seen): Promise<ApprovalWithFacts | Refusal> {
    const row = await this.find(voter.tenant_id, approval_id, seen);
    if (row instanceof Refusal) return row;
    const state = callOfRequest(row);
    const viewed_at_ms = this.calls.commands.clock.now_ms();
    if (state?.call) await this.calls.record('approval_viewed', state, { approval_id, viewer: voter.principal, viewed_at_ms });
    return { ...this.answer(row, voter), ...(await this.facts.of(row, voter)) };
  }

  /** A request as this reader may see it. */
  answer(row: ApprovalRow, reader: Pick<Voter, 'clearances'>): ApprovalAnswer {
    return approvalAnswerOf(row, reader, this.facts.sentence(row, reader));
  }

  async find(tenant_id: string, approval_id: string, seen: Seen): Promise<ApprovalRow | Refusal> {
    const is_current = await this.calls.views.current(seen);
    const row = await readApproval(this.calls.views.store, tenant_id, approval_id);
    if (row) return row;
    return is_current ? new Refusal('not-found', 'no approval has this id', { reason: 'approval_not_found' }) : viewsBehind();
  }

  /** What similar requests have in common with this one; they can be decided together. */
  private async likeness(tenant_id: string, approval_id: string, seen: Seen): Promise<{ tool?: string; rule?: string } | Refusal> {
    const row = await this.find(tenant_id, approval_id, seen);
    if (row instanceof Refusal) return row;
    const tool = callOfRequest(row)?.call?.tool;
    const { rule } = row.requirement;
    return { ...(tool === undefined ? {} : { tool }), ...(rule === null ? {} : { rule }) };
  }
}
