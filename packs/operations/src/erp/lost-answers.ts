import type { Reconciled, RunContext } from '@countersign/tool-kit';
import type { ErpRecord, Hermes, Kind } from '../hermes/port.js';

/** People may edit a reference: later than this, a write without a trace may have happened. */
const TRACE_MS = 15 * 60_000;

/** What a lost write would have left. */
export interface Trace<O> {
  /** What the run would have answered. */
  output(record: ErpRecord): O;
  /** Whether the record shows the effect: a system that announces an attempt first may have the mark alone. Absent: the mark is the proof. */
  shows?(record: ErpRecord): boolean;
}

/** Asks the system for the write of this attempt. */
export async function reconciled<O>(erp: Hermes, kind: Kind, ctx: RunContext, { output, shows }: Trace<O>): Promise<Reconciled<O>> {
  const found = await erp.readBack(kind, ctx.idempotency_key);
  if (found.kind === 'present' && shows?.(found.record) === false)
    return { kind: 'cannot_tell', why: `${found.record.id} carries the mark of the attempt, and is ${found.record.status}` };
  if (found.kind === 'present') return { kind: 'happened', output: output(found.record) };
  if (found.kind === 'unknown') return { kind: 'cannot_tell', why: found.why };
  if (!erp.absence_is_final)
    return { kind: 'cannot_tell', why: 'the system shows no trace of the write, and nothing there ends a write that runs on' };
  if (ctx.fired_at_ms === undefined || Date.now() - ctx.fired_at_ms > TRACE_MS)
    return { kind: 'cannot_tell', why: 'the system shows no trace of the write, which people may have edited away since it was sent' };
  return { kind: 'did_not_happen' };
}
