import { sagaDefinition } from '@countersign/definitions';
import { z } from 'zod';
import { principalName, timeOf } from '../answers/shared-schemas.js';
import { pageOfItems } from '../lists/page-query.js';

const finding = z
  .object({
    step: z.string().nullable().describe('name of the step, wait, branch or map; null: of the definition itself'),
    pointer: z.string().describe('JSON Pointer into the definition'),
    message: z.string(),
  })
  .meta({ id: 'SagaDefinitionFinding' });

const published = {
  name: z.string(),
  version: z.string(),
  digest: z.string().describe('SHA-256 of the definition in canonical JSON (RFC 8785), hex'),
  published_by: principalName,
  published_at: timeOf,
};
const versions = z.array(z.string()).describe('all versions, newest first');
const warnings = z.array(finding).describe('what its author should know; none of it keeps the definition from running');

const summary = z.object({ ...published, versions }).meta({ id: 'SagaDefinitionSummary' });
export const definitionPage = pageOfItems(summary).meta({ id: 'SagaDefinitionPage' });

const version = z.object({ ...published, definition: sagaDefinition }).meta({ id: 'SagaDefinitionVersion' });
export const definitionVersion = version;
export const newestDefinition = version.extend({ versions }).meta({ id: 'NewestSagaDefinition' });
export const publishedDefinition = z.object({ ...published, warnings }).meta({ id: 'PublishedSagaDefinition' });

export const definitionCheck = z
  .object({
    publishable: z.boolean().describe('there are no faults, and no other content has this version'),
    digest: published.digest,
    faults: z.array(finding),
    warnings,
  })
  .meta({ id: 'SagaDefinitionCheck' });

export type DefinitionSummary = z.infer<typeof summary>;
export type DefinitionVersion = z.infer<typeof version>;
export type NewestDefinition = z.infer<typeof newestDefinition>;
export type PublishedDefinition = z.infer<typeof publishedDefinition>;
export type DefinitionCheck = z.infer<typeof definitionCheck>;
export type Finding = z.infer<typeof finding>;
