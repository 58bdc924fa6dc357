import { z } from 'zod';
import { ListMembers } from '../lists/list-members.js';
import { commaList, pageOfItems, pageQuery, queryLimit, queryNumber } from '../lists/page-query.js';
import { toolVersionRecord } from './tool-record.schema.js';

const lifecycles = ['active', 'deprecated', 'blocked', 'candidate', 'suspended', 'all'] as const;

export const toolSearchQuery = z.strictObject({
  q: z.string().min(1).max(400).optional(),
  capabilities: commaList(z.string().min(1).max(200)).default([]),
  version: z.string().max(64).optional().describe('version range, for example `^1.2.0`'),
  min_trust: queryNumber({ type: 'number', minimum: 0, maximum: 1 })
    .optional()
    .describe('only tools with a known trust score of at least this value'),
  max_latency_ms: queryNumber({ type: 'number', exclusiveMinimum: 0 }).optional(),
  max_cost: queryNumber({ type: 'number', minimum: 0 }).optional(),
  limit: queryLimit(100).default(10),
});

const refused = z
  .object({
    name: z.string(),
    version: z.string(),
    digest: z.string(),
    against: z.string().describe('the version that it was compared with'),
    differences: z.array(z.object({ pointer: z.string(), allowed: z.enum(['same', 'wider']), message: z.string() })),
    executor_id: z.string(),
    lanes: z.array(z.string()),
    refused_at: z.string().nullable(),
  })
  .meta({ id: 'RefusedRegistration' });

export const toolAnswer = z
  .object({
    name: z.string(),
    title: z.string(),
    description: z.string(),
    version: z.string().describe('the newest active version, else the newest'),
    tier: z.string(),
    effect_class: toolVersionRecord.shape.effect_class.describe('of `version`; so are the next two members'),
    lifecycle: toolVersionRecord.shape.lifecycle,
    trust_score: toolVersionRecord.shape.trust_score,
    versions: z.array(toolVersionRecord).describe('newest first'),
    refused_registrations: z.array(refused).describe('versions refused because their contract change does not match their version number'),
  })
  .meta({ id: 'Tool' });

/** Members of a listed tool: all but its versions, which contain the contracts. */
export const toolMembers = new ListMembers(toolAnswer, {
  name: true,
  title: true,
  description: true,
  version: true,
  tier: true,
  effect_class: true,
  lifecycle: true,
  trust_score: true,
});

export const toolsQuery = pageQuery.extend({
  lifecycle: commaList(z.enum(lifecycles)).optional().describe('comma-separated; absent: active'),
  category: z.string().min(1).max(100).optional(),
  effect_class: z.enum(['pure', 'read_internal', 'read_external', 'stage', 'commit_low', 'commit_high']).optional(),
  pattern: z.string().min(1).max(40).optional(),
  capability: z.string().min(1).max(200).optional(),
  marking: z.string().min(1).max(200).optional(),
  provider: z.string().min(1).max(200).optional(),
  ...toolMembers.query,
});

const unhealthy = z.array(z.object({ pack: z.string(), reason: z.string() }));

export const toolPage = pageOfItems(toolAnswer.partial().meta({ id: 'ToolListItem' }))
  .extend({ unhealthy_packs: unhealthy.optional().describe('packs that cannot be used; absent: none') })
  .meta({ id: 'ToolPage' });

export const toolVersionPage = pageOfItems(toolVersionRecord).meta({ id: 'ToolVersionPage' });

export const foundTools = pageOfItems(
  toolVersionRecord.extend({ score: z.number().describe('relevance, 0 to 1') }).meta({ id: 'FoundTool' }),
)
  .extend({ total_candidates: z.int(), total_filtered: z.int() })
  .meta({ id: 'FoundTools' });

export type ToolsQuery = z.infer<typeof toolsQuery>;
export type ToolSearchQuery = z.infer<typeof toolSearchQuery>;
