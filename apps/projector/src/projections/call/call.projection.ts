import { type CallState, newestFact, packCall, resultFlags, statusOf } from '@countersign/domain';
import { type CallWrite, type Statement, callTables as set, upsertCalls } from '@countersign/store';
import { type Change, newAndOthers, type PendingRows, type Projection, storable } from '../projection.js';

/** The row of a call. */
export function callWrite(state: CallState): CallWrite {
  const status = statusOf(state);
  const call = state.requested === null ? null : state.call;
  return {
    call_id: state.call_id,
    tenant_id: storable(state.tenant_id),
    case_id: storable(call?.case_id ?? null),
    run_id: storable(call?.run_id ?? null),
    tool: storable(call?.tool ?? ''),
    status,
    waits_approval: status === 'pending_approval',
    external_id: storable(call?.external_id ?? null),
    metadata_json: storable(call?.metadata_json ?? null),
    flags: storable(resultFlags(state).join() || null),
    requested_at_ms: state.requested?.at_ms ?? 0,
    hlc: newestFact(state).hlc,
    state: packCall(state),
  };
}

class PendingCalls implements PendingRows {
  private readonly states = new Map<string, CallState>();
  /** Calls that were unknown before. */
  private readonly begun = new Set<string>();

  fold({ before, after, undone }: Change): void {
    if (undone && undone.after !== undone.before) this.states.set(undone.after.call_id, undone.after);
    if (after === undefined || after === before) return;
    if (before === undefined) this.begun.add(after.call_id);
    this.states.set(after.call_id, after);
  }

  statements(): Statement[] {
    const isNew = ({ call_id }: CallState) => this.begun.has(call_id);
    return newAndOthers(this.states.values(), isNew, (chunk) => upsertCalls(chunk.map(callWrite)));
  }
}

/** One row per call, written once for all changes of a write. */
export const call: Projection = { set, empty: () => new PendingCalls() };
