import type { Compensates, Reconciled, RunContext, Verified } from '../tool.js';
import { ToolError } from '../tool-error.js';
import type { KeyedRecords } from './keyed-records.js';

const changedSince = (): ToolError =>
  new ToolError('VALIDATION_ERROR', 'the record was changed after the run', {
    effect: 'none',
    class: 'semantic',
    details: { reason: 'changed_since' },
  });

/** Reconcile, verify and compensate for every tool that stores one record for each key. */
export function keyedWrites<T>(records: KeyedRecords<T>) {
  return {
    reconcile: async (_input: unknown, ctx: RunContext): Promise<Reconciled<T>> => {
      const output = await records.find(ctx);
      return output === undefined ? { kind: 'did_not_happen' } : { kind: 'happened', output };
    },
    verify: async (_input: unknown, output: unknown, ctx: RunContext): Promise<Verified> => {
      const kept = await records.find(ctx);
      if (kept === undefined) return { kind: 'contradicted', why: 'no record has this key' };
      return JSON.stringify(kept) === JSON.stringify(output)
        ? { kind: 'verified' }
        : { kind: 'contradicted', why: 'the record differs from the reported output' };
    },
    compensate: async ({ idempotency_key, output }: Compensates, ctx: RunContext) => {
      const kept = await records.find(ctx, idempotency_key);
      if (kept !== undefined && JSON.stringify(kept) !== JSON.stringify(output)) throw changedSince();
      return { removed: await records.remove(ctx, idempotency_key) };
    },
  };
}
