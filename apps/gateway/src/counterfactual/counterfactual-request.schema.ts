import { errorCodes } from '@countersign/contracts';
import { z } from 'zod';
import { limitRequest } from '../limits/limit-request.js';
import { queryCursor } from '../lists/page-query.js';
import { draftBundle } from '../policies/bundle-request.js';
import { notTooDeep } from '../requests/nesting.js';

const CHANGES_MAX = 50;
/** A replaced result is known, so it cannot be in doubt. */
const knownCodes = errorCodes.filter((code) => code !== 'IN_DOUBT');
const id = z.string().min(1).max(200);
const time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

const change = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('approval'),
    approval_id: id,
    voter: id.optional().describe('id of the voter; absent: you'),
    vote: z.enum(['approve', 'deny']).default('approve'),
    at: time.optional().describe('time of the vote; absent: the time of the recorded vote of this voter'),
    reason: z.string().max(2000).optional(),
  }),
  z
    .strictObject({
      kind: z.literal('policy'),
      version: z.string().max(64).nullable().optional().describe('a published version; null: only the built-in rules'),
      bundle: draftBundle.optional(),
    })
    .refine(({ version, bundle }) => (version === undefined) !== (bundle === undefined), 'send exactly one of version and bundle'),
  z.strictObject({
    kind: z.literal('fact'),
    table: id,
    set: z.record(z.string().max(200), z.unknown()).default({}),
    remove: z.array(z.string().max(200)).max(1000).default([]),
  }),
  z
    .strictObject({
      kind: z.literal('limit'),
      limit_id: id,
      max: z.number().min(0).max(1e9).optional().describe('another maximum for the same limit'),
      limit: limitRequest.nullable().optional().describe('a replacement for the limit; null: no limit'),
    })
    .refine(({ max, limit }) => (max === undefined) !== (limit === undefined), 'send exactly one of max and limit'),
  z
    .strictObject({
      kind: z.literal('result'),
      call_id: id,
      output: z.unknown().optional(),
      error: z.strictObject({ code: z.enum(knownCodes), message: z.string().max(2000) }).optional(),
    })
    .refine(({ output, error }) => output === undefined || error === undefined, 'send output or error, not both'),
  z.strictObject({ kind: z.literal('left_out'), call_id: id }),
]);

const changes = z
  .array(change)
  .max(CHANGES_MAX)
  .describe('the changes to apply; empty: only check that the recorded decisions can be reproduced');

/** A body with changes of this schema; too many changes are refused before validation. */
const bounded = <S extends z.ZodType>(schema: S) =>
  z.preprocess((body, context) => {
    const requested = (body as { changes?: unknown } | null | undefined)?.changes;
    if (!Array.isArray(requested) || requested.length <= CHANGES_MAX) return body;
    const message = `at most ${CHANGES_MAX} changes, not ${requested.length}`;
    context.addIssue({ code: 'custom', params: { code: 'too_big' }, path: ['changes'], message });
    return z.NEVER;
  }, notTooDeep(schema));

/** `POST /v1/cases/{case_id}/counterfactual`. */
export const counterfactualRequest = bounded(z.strictObject({ changes }));

/** `POST /v1/counterfactual`: the same over a time range, one page of calls at a time, newest first. */
export const rangeRequest = bounded(
  z
    .strictObject({
      changes,
      from: time.optional(),
      to: time.optional(),
      limit: z.int().min(1).max(500).default(200),
      cursor: queryCursor.optional(),
    })
    .refine(({ from, to }) => from === undefined || to === undefined || from <= to, { path: ['to'], message: 'is before `from`' }),
);

export type CounterfactualRequest = z.infer<typeof counterfactualRequest>;
export type RangeRequest = z.infer<typeof rangeRequest>;
export type RequestedChange = z.infer<typeof change>;
