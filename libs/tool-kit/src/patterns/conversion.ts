import { canonicalText, sha256Hex } from '@countersign/contracts';
import { z } from 'zod';
import { defineTool } from '../define-tool.js';
import type { Tool } from '../tool.js';
import { ToolError } from '../tool-error.js';
import { decimalText, dividedBy, fractionOf, textOf, times } from './decimal.js';
import type { PatternTraits } from './evidence.js';

/** Rates against one base, as decimals: one unit is worth `rates[unit]` of the base, or the reverse for `per_base`. */
export interface RateTable {
  base: string;
  /** `worth`: one unit is worth this much of the base; `per_base`: one of the base buys this many units. */
  quoted: 'worth' | 'per_base';
  rates: Readonly<Record<string, string>>;
}

export interface Conversion extends PatternTraits {
  /** Rate tables by pin (`ecb-2026-10-30`). The rates of a pin never change; newer rates get another pin. */
  sources: Readonly<Record<string, RateTable>>;
}

/**
 * Pattern 9: converts a decimal by a pinned rate table. Pure, exact, and the same bytes at every replay; the result names the pin and its
 * digest.
 */
export function defineConversion({ sources, ...traits }: Conversion): Tool {
  const digests = new Map(Object.entries(sources).map(([pin, table]) => [pin, sha256Hex(canonicalText(table))]));
  return defineTool({
    ...traits,
    pattern: 'conversion',
    effect_class: 'pure',
    input: z.strictObject({
      value: decimalText,
      from: z.string().min(1).max(20),
      to: z.string().min(1).max(20),
      source: z
        .enum(Object.keys(sources) as [string, ...string[]])
        .describe('Pin of the rates. Replays with the same pin give the same bytes.'),
      digits: z.int().min(0).max(18).default(18).describe('Decimals of the answer, rounded half to even.'),
    }),
    output: z.strictObject({
      value: z.string(),
      unit: z.string(),
      /** The value is exact, not rounded. */
      exact: z.boolean(),
      source: z.strictObject({ pin: z.string(), sha256: z.string() }),
    }),
    run: async ({ value, from, to, source, digits }) => {
      const table = sources[source] as RateTable;
      const inBase = times(fractionOf(value), worthOf(table, from, '/from', source));
      const { text, exact } = textOf(dividedBy(inBase, worthOf(table, to, '/to', source)), digits);
      return { value: text, unit: to, exact, source: { pin: source, sha256: digests.get(source) as string } };
    },
  });
}

function worthOf(table: RateTable, unit: string, pointer: string, pin: string) {
  const one = fractionOf('1');
  if (unit === table.base) return one;
  const rate = Object.hasOwn(table.rates, unit) ? table.rates[unit] : undefined;
  if (rate === undefined) {
    throw new ToolError('VALIDATION_ERROR', `${pin} has no rate for ${JSON.stringify(unit)}`, {
      effect: 'none',
      details: { issues: [{ path: pointer, code: 'no_rate', message: `${pin} has no rate for this unit` }] },
    });
  }
  return table.quoted === 'worth' ? fractionOf(rate) : dividedBy(one, fractionOf(rate));
}
