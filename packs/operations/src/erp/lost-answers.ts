import type { Reconciled, RunContext } from '@countersign/tool-kit';
import type { ErpRecord, Hermes, Kind } from '../hermes/port.js';

/** People may edit a reference: later than this, a write without a trace may have happened. */
const TRACE_MS = 15 * 60_000;

/** Asks the system for the write of this attempt. `output` makes what the run would have answered. */
export async function reconciled<O>(erp: Hermes, kind: Kind, ctx: RunContext, output: (record: ErpRecord) => O): Promise<Reconciled<O>> {
  const found = await erp.readBack(kind, ctx.idempotency_key);
  if (found.kind === 'present') return { kind: 'happened', output: output(found.record) };
  if (found.kind === 'unknown') return { kind: 'cannot_tell', why: found.why };
  if (!erp.absence_is_final)
    return { kind: 'cannot_tell', why: 'the system shows no trace of the write, and nothing there ends a write that runs on' };
  if (ctx.fired_at_ms === undefined || Date.now() - ctx.fired_at_ms > TRACE_MS)
    return { kind: 'cannot_tell', why: 'the system shows no trace of the write, which people may have edited away since it was sent' };
  return { kind: 'did_not_happen' };
}
