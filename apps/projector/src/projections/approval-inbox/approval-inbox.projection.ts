import type { Meta } from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain';
import {
  type ApprovalWrite,
  type PartWrite,
  type Statement,
  approvalTables as set,
  upsertApprovals,
  upsertParts,
  upsertVotes,
  type VoteWrite,
} from '@countersign/store';
import { type Change, newAndOthers, type PendingRows, type Projection, storable } from '../projection.js';

type Requested = Extract<PlacedEvent, { event_type: 'approval_requested' }>['event'];

function requestOf(event: Requested): ApprovalWrite['request'] {
  const { decision_id, revision, approver_roles, quorum, requested_at_ms, expires_at_ms, reversibility, ruling_digest } = event;
  const { requirement: whole, barred, evidence, edit, parts, distinct, grantable } = event;
  const empty_request = {
    requirement: whole,
    barred,
    evidence,
    edit,
    people: whole?.people ?? [],
    rule: evidence?.rule ?? null,
    parts,
    distinct,
    grantable: grantable !== null,
    inputs_json: edit ? event.call.inputs_json : null,
    ...(edit && event.call.mapped ? { mapped: event.call.mapped } : {}),
  };
  const requirement = { decision_id, approver_roles, quorum, reversibility, ruling_digest, ...empty_request };
  return { call_id: event.meta.call_id as string, revision, requested_at_ms, expires_at_ms, requirement };
}

/** The end of a request, as an event of approval-granted names it. */
function endOf(at: PlacedEvent): { approval_id: string; end: ApprovalWrite['end'] } | undefined {
  switch (at.event_type) {
    case 'approval_granted': {
      const by = at.event.votes.map((vote) => vote.voter_id).join(', ');
      return { approval_id: at.event.approval_id, end: { kind: 'granted', at_ms: at.timestamp_ms, by, reason: null } };
    }
    case 'approval_denied': {
      const { approval_id, by, reason } = at.event;
      return { approval_id, end: { kind: 'denied', at_ms: at.timestamp_ms, by: by.id, reason } };
    }
    case 'approval_expired': {
      const { approval_id, expired_at_ms } = at.event;
      return { approval_id, end: { kind: 'expired', at_ms: expired_at_ms, by: null, reason: null } };
    }
    default:
      return undefined;
  }
}

/** A cancellation names no approval: it ends the approval of its call, whichever of the two events came first. */
function cancelledBy({ before, after }: Change): { approval_id: string; end: ApprovalWrite['end'] } | undefined {
  if (!after || after === before) return undefined;
  const { approval, approval_end } = after;
  if (approval === null || approval_end?.kind !== 'cancelled' || approval_end.revision < approval.revision) return undefined;
  if (approval === before?.approval && approval_end === before.approval_end) return undefined;
  const { at_ms, by, reason } = approval_end;
  return { approval_id: approval.approval_id, end: { kind: 'cancelled', at_ms, by, reason } };
}

type Tallied = Extract<PlacedEvent, { event_type: 'approval_vote_counted' | 'approval_granted' }>;

/** Number of approvals by part; '' is the only part. */
function standingAt(at: Tallied): [string, number][] {
  if (at.event_type === 'approval_granted') {
    const { parts, votes } = at.event;
    return parts.length > 1 ? parts.map(({ rule, approved_by }) => [storable(rule), approved_by.length]) : [['', votes.length]];
  }
  const { parts, approvals } = at.event;
  return parts.length > 1 ? parts.map((part) => [storable(part.rule), part.approvals]) : [['', approvals]];
}

class PendingApprovals implements PendingRows {
  private readonly approvals = new Map<string, ApprovalWrite>();
  private readonly votes = new Map<string, VoteWrite>();
  private readonly parts = new Map<string, PartWrite>();

  fold(change: Change): void {
    const { at } = change;
    if (at.event_type === 'approval_requested') {
      const row = this.approval(at.event.meta, at.event.approval_id);
      row.request ??= requestOf(at.event);
      if (at.event.edit) this.supersede(at.event.meta, at.event.edit.approval_id, at.event.edit.by.id, at.timestamp_ms);
    } else if (at.event_type === 'approval_escalated') {
      const { meta, approval_id, level, approver_roles, people, quorum, expires_at_ms, rule } = at.event;
      const row = this.part(meta, approval_id, rule ?? '');
      row.escalation = { level, approver_roles, people, quorum, expires_at_ms };
      row.approvals = 0;
    }
    this.foldStanding(at);
    const ended = endOf(at) ?? cancelledBy(change);
    if (ended) {
      const row = this.approval(at.event.meta, ended.approval_id);
      row.end ??= ended.end;
    }
    this.foldVote(at);
  }

  /** Counts the approvals of each part; a record from before parts has one part. */
  private foldStanding(at: PlacedEvent): void {
    if (at.event_type !== 'approval_vote_counted' && at.event_type !== 'approval_granted') return;
    const { meta, approval_id } = at.event;
    for (const [rule, approvals] of standingAt(at)) this.part(meta, approval_id, rule).approvals = approvals;
  }

  /** An edit ended the previous request. */
  private supersede(meta: Meta, approval_id: string, by: string, at_ms: number): void {
    this.approval(meta, approval_id).end ??= { kind: 'superseded', at_ms, by, reason: 'the inputs were edited' };
  }

  private foldVote(at: PlacedEvent): void {
    if (at.event_type === 'approval_voted') {
      const { meta, approval_id, vote_id, voter, vote, reason, voted_at_ms } = at.event;
      const row = this.vote(meta, approval_id, vote_id);
      row.cast ??= { voter_id: storable(voter.id), vote, reason: storable(reason), voted_at_ms };
    } else if (at.event_type === 'approval_vote_counted') {
      this.vote(at.event.meta, at.event.approval_id, at.event.vote_id).verdict ??= {
        kind: 'counted',
        reason: null,
        in_parts: at.event.counted.in_parts,
      };
    } else if (at.event_type === 'approval_vote_refused') {
      const { meta, approval_id, vote_id, reason } = at.event;
      this.vote(meta, approval_id, vote_id).verdict ??= { kind: 'refused', reason: storable(reason), in_parts: [] };
    } else if (at.event_type === 'approval_granted') {
      const { meta, approval_id, votes } = at.event;
      for (const { vote_id, in_parts } of votes)
        this.vote(meta, approval_id, vote_id).verdict ??= { kind: 'counted', reason: null, in_parts };
    }
  }

  private approval({ tenant_id, partition }: Meta, approval_id: string): ApprovalWrite {
    const key = `${tenant_id} ${approval_id}`;
    const row = this.approvals.get(key) ?? { approval_id, tenant_id, partition, request: null, end: null };
    this.approvals.set(key, row);
    return row;
  }

  private part({ tenant_id }: Meta, approval_id: string, rule: string): PartWrite {
    const key = `${tenant_id} ${approval_id} ${rule}`;
    const row = this.parts.get(key) ?? { tenant_id, approval_id, rule, approvals: null, escalation: null };
    this.parts.set(key, row);
    return row;
  }

  private vote({ tenant_id }: Meta, approval_id: string, vote_id: string): VoteWrite {
    const key = `${tenant_id} ${approval_id} ${vote_id}`;
    const row = this.votes.get(key) ?? { tenant_id, approval_id, vote_id, cast: null, verdict: null };
    this.votes.set(key, row);
    return row;
  }

  statements(): Statement[] {
    return [
      ...newAndOthers(this.approvals.values(), ({ request }) => request !== null, upsertApprovals),
      ...newAndOthers(this.votes.values(), ({ cast }) => cast !== null, upsertVotes),
      ...newAndOthers(this.parts.values(), () => false, upsertParts),
    ];
  }
}

/** Approval requests, their ends, and votes with the decision of the policy service on each. */
export const approvalInbox: Projection = { set, empty: () => new PendingApprovals() };
