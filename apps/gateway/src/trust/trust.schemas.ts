import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { pageOfItems, queryCursor, queryLimit } from '../lists/page-query.js';

const moment = {
  as_of: z.iso.datetime({ offset: true }).optional().describe('time of the score; absent: now'),
  at_offset: z.string().max(200).optional().describe('the score as of this record: <topic>:<partition>:<offset>'),
};
const version = z.string().min(1).max(64).optional();

export const pastQuery = z.looseObject(moment);
export const trustQuery = z.strictObject({ version: version.describe('absent: the newest active one'), ...moment });
export const trustEventsQuery = z.strictObject({ version, limit: queryLimit().default(100), cursor: queryCursor.optional() });

const time = timeOf.nullable();
const share = z.number().nullable();
const term = z.object({ signal: z.string(), weight: z.number(), value: z.number(), points: z.number().describe('weight × value') });
const published = z
  .object({ score: share, band: z.enum(['unknown', 'low', 'medium', 'high']), at: time })
  .nullable()
  .describe('the last published score, which moves only past its hysteresis; null: none was published yet');
const scored = {
  score: share.describe('0 to 1; null: see `unscored`'),
  terms: z.array(term).nullable().describe('the terms whose sum is the score'),
  decay: share,
  unscored: z.enum(['never_run', 'never_verified']).nullable(),
};
const reliability = z.object({ reported: share, verified: share.describe('null: no outcome was read back') });

const eventsBehind = z.object({
  count: z.int(),
  partitions: z.array(z.object({ events: z.int(), first: z.string(), last: z.string() })),
  href: z.string(),
});

const toolRuns = z.object({
  counted: z.number(),
  succeeded: z.number(),
  verified: z.number(),
  own: z.number(),
  callers: z.int(),
  inherited: z.record(z.string(), z.number()).describe('runs inherited from earlier versions, by version'),
});

export const toolTrust = z
  .object({
    tool: z.string(),
    version: z.string(),
    provider: z.string().optional(),
    ...scored,
    score_reported: share.optional().describe('the score from outcomes as the tool reports them'),
    band: z.enum(['unknown', 'low', 'medium', 'high']).optional(),
    reliability: reliability.optional(),
    runs: toolRuns.optional(),
    ratings: z.int().optional(),
    last_verified_at: time.optional(),
    last_verified: time.optional().describe('the same as `last_verified_at`'),
    as_of: time,
    told: published,
    events: eventsBehind,
  })
  .meta({ id: 'ToolTrust' });

export const providerTrust = z.object({ provider: z.string(), score: share, as_of: time, told: published }).meta({ id: 'ProviderTrust' });

export const agentTrust = z
  .object({
    agent: z.string(),
    ...scored,
    reliability,
    runs: z.object({ counted: z.number(), tools: z.record(z.string(), z.record(z.string(), z.number())).describe('by `tool@version`') }),
    decided: z.object({ asked: z.int(), granted: z.int() }),
    last_confirmed: time,
    as_of: time,
    told: published,
  })
  .meta({ id: 'AgentTrust' });

const trustEvent = z
  .object({
    position: z.string().describe('<topic>:<partition>:<offset>'),
    principal: z.string(),
    succeeded: z.boolean(),
    verified: z.boolean(),
    valid: z.boolean(),
    timely: z.boolean(),
    sound: z.boolean(),
  })
  .meta({ id: 'TrustEvent', description: 'a run' });
export const trustEventPage = pageOfItems(trustEvent).meta({ id: 'TrustEventPage' });

export type PastQuery = z.infer<typeof pastQuery>;
export type TrustQuery = z.infer<typeof trustQuery>;
export type TrustEventsQuery = z.infer<typeof trustEventsQuery>;
