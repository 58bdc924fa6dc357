import { z } from 'zod';
import { timeOf, principalName as who } from '../answers/shared-schemas.js';
import { pageOfItems } from '../lists/page-query.js';

const issue = z
  .object({ path: z.string().describe('a JSON Pointer; empty: the whole document'), message: z.string() })
  .meta({ id: 'MappingIssue' });
const needs_activation = z
  .array(issue)
  .describe('why a second person must activate it, with places in the definition; empty: it takes effect at once');

/** One version of the mapping of a tool. */
export const mappingVersion = z
  .object({
    tool: z.string().describe('`*`: the default for tools without their own mapping'),
    version: z.int().min(1),
    definition: z.record(z.string(), z.unknown()).nullable().describe('the published definition; null: this version removes the mapping'),
    rolled_back_to: z.int().nullable().describe('the earlier version that this version repeats'),
    state: z.enum(['waits_for_activation', 'activated']),
    in_force_from: timeOf.nullable().describe('time from which calls use it; null: it waits for a second person'),
    activated_by: who.nullable().describe('the second person; null: none was needed, or it still waits'),
    changed_by: who,
    changed_at: timeOf,
  })
  .meta({ id: 'MappingVersion' });

export const mappingPage = pageOfItems(mappingVersion.extend({ etag: z.string() }).meta({ id: 'MappingListed' })).meta({
  id: 'MappingPage',
});
export const mappingVersionPage = pageOfItems(mappingVersion).meta({ id: 'MappingVersionPage' });
export const currentMapping = mappingVersion
  .extend({ in_force_version: z.int().nullable().describe('the version that new calls use; null: none') })
  .meta({ id: 'Mapping' });
export const publishedMapping = mappingVersion.extend({ needs_activation }).meta({ id: 'PublishedMapping' });

const trial = z
  .object({
    call_id: z.string().nullable().describe('the recorded call; null: a document from the request'),
    from: z.unknown(),
    to: z.unknown().describe('null if there are issues'),
    issues: z.array(issue),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'MappingTrial' });

export const mappingTrials = z
  .object({
    inputs: z.array(trial).describe('from the agent to the system'),
    results: z.array(trial).describe('from the system to the agent'),
    failed: z.int().min(0),
    erased: z.int().min(0).describe('number of recorded calls left out because their data was erased'),
    needs_activation,
  })
  .meta({ id: 'MappingTrials' });

export type MappingVersionAnswer = z.infer<typeof mappingVersion>;
export type MappingTrials = z.infer<typeof mappingTrials>;
