import { z } from 'zod';
import { defineTool } from '../define-tool.js';
import type { RunContext, Tool } from '../tool.js';
import { ToolError } from '../tool-error.js';
import { compare, type Fraction, fractionOf, plus, textOf } from './decimal.js';
import type { PatternTraits } from './evidence.js';

/** One counted object, with the markings of all data that was read of it. */
export interface MarkedRow {
  /** A decimal; null if the object has no such value, which only `count` counts. */
  value: string | null;
  markings: readonly string[];
}

export interface Aggregation<Q extends z.ZodType> extends PatternTraits {
  /** Every marking that a result may carry: the caller must be cleared for all of them. Empty: unmarked objects only. */
  markings: string[];
  query: Q;
  /** The objects inside the window and the id of the state in which they were read. */
  rows(
    query: z.output<Q>,
    window: { from_ms: number; to_ms: number },
    ctx: RunContext,
  ): Promise<{ rows: readonly MarkedRow[]; snapshot_id: string }>;
}

const operations = ['count', 'sum', 'min', 'max', 'mean'] as const;
const DIGITS = 18;

/**
 * Pattern 8: one exact metric over a window of objects. It carries every marking of every object in it; a marking that the contract does
 * not name is refused.
 */
export function defineAggregation<Q extends z.ZodType>(definition: Aggregation<Q>): Tool {
  const { query, rows: select, ...traits } = definition;
  return defineTool({
    ...traits,
    pattern: 'aggregation',
    effect_class: 'read_internal',
    input: z.strictObject({
      query: query as z.ZodType,
      window: z
        .strictObject({ from: z.iso.datetime({ offset: true }), to: z.iso.datetime({ offset: true }) })
        .describe('From inclusive, to exclusive.'),
      operation: z.enum(operations),
    }),
    output: z.strictObject({
      metric: z.string().nullable(),
      operation: z.enum(operations),
      objects: z.int().min(0),
      markings: z.array(z.string()),
      snapshot_id: z.string(),
    }),
    run: async ({ query: request, window, operation }, ctx) => {
      const range = { from_ms: Date.parse(window.from), to_ms: Date.parse(window.to) };
      if (range.from_ms >= range.to_ms) throw new ToolError('VALIDATION_ERROR', 'the window ends before it begins', { effect: 'none' });
      const { rows, snapshot_id } = await select(request as z.output<Q>, range, ctx);
      const markings = [...new Set(rows.flatMap((row) => row.markings))].sort();
      const undeclared = markings.filter((marking) => !traits.markings.includes(marking));
      if (undeclared.length > 0) {
        throw new ToolError('POLICY_DENIED', `the objects carry markings that this tool does not declare: ${undeclared.join(', ')}`, {
          effect: 'none',
          details: { exception: 'aggregate.undeclared_marking', markings: undeclared },
        });
      }
      return { metric: metricOf(operation, rows), operation, objects: rows.length, markings, snapshot_id };
    },
  });
}

/** Exact, except that a mean has 18 decimals, rounded half to even. Null: no value to measure. */
function metricOf(operation: (typeof operations)[number], rows: readonly MarkedRow[]): string | null {
  if (operation === 'count') return String(rows.length);
  const values = rows.flatMap(({ value }) => (value === null ? [] : [fractionOf(value)]));
  const [first, ...others] = values;
  if (!first) return operation === 'sum' ? '0' : null;
  const text = (value: Fraction) => textOf(value, DIGITS).text;
  if (operation === 'min') return text(others.reduce((a, b) => (compare(b, a) < 0 ? b : a), first));
  if (operation === 'max') return text(others.reduce((a, b) => (compare(b, a) > 0 ? b : a), first));
  const sum = others.reduce(plus, first);
  return text(operation === 'sum' ? sum : { over: sum.over, under: sum.under * BigInt(values.length) });
}
