import { type DefinitionFault, PREDICTED_ITEMS_MAX } from '@countersign/domain';
import { z } from 'zod';
import { definitionIssues } from './definition-issues.js';

const NAMES_MAX = 1_000;
const share = z.number().min(0).max(1);
const duration = z.number().min(0).max(1e12);
const byName = <S extends z.ZodType>(schema: S) =>
  z
    .record(z.string().max(200), schema)
    .refine((given) => Object.keys(given).length <= NAMES_MAX, `has at most ${NAMES_MAX} names`)
    .default({});

const toolRate = z
  .strictObject({
    /** 1 - the share of failures without an effect. */
    reliability: share,
    in_doubt: share.default(0),
    /** How many runs these rates come from. */
    runs: z.int().min(0).max(1e12).optional(),
    p50_ms: duration.optional(),
    p99_ms: duration.optional(),
  })
  .refine(({ reliability, in_doubt }) => in_doubt <= reliability, {
    path: ['in_doubt'],
    message: 'is at most reliability: a doubt is not a failure without an effect',
  })
  .refine(({ p50_ms, p99_ms }) => (p50_ms === undefined) === (p99_ms === undefined), 'has p50_ms and p99_ms, or neither')
  .refine(({ p50_ms = 0, p99_ms = 0 }) => p50_ms <= p99_ms, { path: ['p50_ms'], message: 'is at most p99_ms' });

/** A file of rates and assumptions for a prediction; docs/how-to/predict-reliability.md explains it. */
const ratesFile = z.strictObject({
  tools: byName(toolRate),
  choices: byName(z.array(share).max(100)),
  items: byName(z.int().min(0).max(PREDICTED_ITEMS_MAX)),
  answered: byName(share),
});

export type ToolRate = z.infer<typeof toolRate>;
export type RatesFile = z.infer<typeof ratesFile>;

export const NO_RATES: RatesFile = ratesFile.parse({});

/** The rates of a value, or each fault with its JSON Pointer. */
export function readRates(value: unknown): { rates: RatesFile } | { faults: DefinitionFault[] } {
  const parsed = ratesFile.safeParse(value);
  return parsed.success ? { rates: parsed.data } : { faults: definitionIssues(parsed.error.issues, value) };
}
