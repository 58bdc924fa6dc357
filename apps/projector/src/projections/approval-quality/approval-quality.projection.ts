import { type Meta, parseTopic } from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain';
import {
  type ApprovalQualityWrite,
  type DecisionEntry,
  type Statement,
  approvalQualityTables as set,
  upsertApprovalQuality,
} from '@countersign/store';
import { type Change, newAndOthers, type PendingRows, type Projection, storable } from '../projection.js';

/** A request is denied at most once, and its denial does not name the vote. */
const DENIAL = 'denial';

interface Counted {
  vote_id: string;
  decision: DecisionEntry;
}

const countedOf = (one: { vote_id: string; voter_id: string; vote: string; voted_at_ms: number }): Counted => ({
  vote_id: storable(one.vote_id),
  decision: [storable(one.voter_id), one.vote, one.voted_at_ms],
});

/**
 * The votes that the policy service counted, from its own events. A denial counts at its log time; a denial without a vote does not count.
 */
function decisionsOf(at: PlacedEvent): readonly Counted[] {
  switch (at.event_type) {
    case 'approval_vote_counted':
      return [countedOf(at.event.counted)];
    case 'approval_granted':
      return at.event.votes.map(countedOf);
    case 'approval_denied': {
      const { by, source } = at.event;
      const voted = parseTopic(source.topic).topic === 'approval-voted';
      return voted ? [{ vote_id: DENIAL, decision: [storable(by.id), 'deny', at.timestamp_ms] }] : [];
    }
    default:
      return [];
  }
}

class PendingQuality implements PendingRows {
  private readonly rows = new Map<string, ApprovalQualityWrite>();

  fold({ at }: Change): void {
    switch (at.event_type) {
      case 'approval_requested': {
        const { approval_id, meta, evidence, requested_at_ms, parts } = at.event;
        const rule = parts.length > 1 ? parts.map((part) => part.rule).join(' + ') : (evidence?.rule ?? null);
        this.row(meta, approval_id).request ??= { rule: storable(rule), requested_at_ms, offset: at.offset };
        return;
      }
      case 'approval_viewed': {
        const { approval_id, meta, viewer, viewed_at_ms } = at.event;
        const { looks } = this.row(meta, approval_id);
        const viewer_id = storable(viewer.id);
        if (!looks.has(viewer_id)) looks.set(viewer_id, viewed_at_ms);
        return;
      }
      case 'approval_vote_counted':
      case 'approval_granted':
      case 'approval_denied':
        this.decide(at.event.meta, at.event.approval_id, decisionsOf(at));
    }
  }

  private decide(meta: Meta, approval_id: string, counted: readonly Counted[]): void {
    if (counted.length === 0) return;
    const { decisions } = this.row(meta, approval_id);
    for (const { vote_id, decision } of counted) if (!decisions.has(vote_id)) decisions.set(vote_id, decision);
  }

  private row({ tenant_id, partition }: Meta, approval_id: string): ApprovalQualityWrite {
    const key = `${tenant_id} ${approval_id}`;
    const known = this.rows.get(key);
    if (known) return known;
    const named = { tenant_id: storable(tenant_id), approval_id: storable(approval_id), partition };
    const row: ApprovalQualityWrite = { ...named, request: null, looks: new Map(), decisions: new Map() };
    this.rows.set(key, row);
    return row;
  }

  statements(): Statement[] {
    return newAndOthers(this.rows.values(), ({ request }) => request !== null, upsertApprovalQuality);
  }
}

/**
 * How approvers decided: who read the request when, which votes counted, and how long it waited. Calls without an approval request have no
 * row here.
 */
export const approvalQuality: Projection = { set, empty: () => new PendingQuality() };
