import { importOptions } from '@countersign/openapi';
import { z } from 'zod';
import { everywhere, principalName, timeOf } from '../answers/shared-schemas.js';
import { pageOfItems } from '../lists/page-query.js';

/** Characters of a document of JSON or YAML in a request; a larger one is sent as gzip, or fetched. */
const TEXT_CHARS_MAX = 1_000_000;

/** Body of `POST /v1/openapi-imports`. Exactly one of the first three members. */
export const importRequest = importOptions
  .extend({
    document: z
      .union([z.string().min(1).max(TEXT_CHARS_MAX), z.record(z.string(), z.unknown())])
      .optional()
      .describe('OpenAPI 3.0 or 3.1, as JSON or as the text of JSON or YAML'),
    document_gzip: z.base64().min(1).max(TEXT_CHARS_MAX).optional().describe('the text as gzip in base64, for large documents'),
    url: z.string().min(1).max(2000).optional().describe('https address that the document is fetched from'),
  })
  .refine(({ document, document_gzip, url }) => [document, document_gzip, url].filter((one) => one !== undefined).length === 1, {
    path: ['document'],
    message: 'exactly one of document, document_gzip and url is needed',
  })
  .meta({ id: 'OpenApiImportRequest' });

const tool = z
  .object({
    name: z.string(),
    version: z.string(),
    operation: z.string().describe('`GET /pets/{id}`'),
    effect_class: z.string(),
    change: z.enum(['new', 'changed', 'unchanged']).describe('compared with the newest version of the tool'),
    secrets: z.array(z.string()).describe('the secrets that a call needs'),
    pages: z.enum(['link', 'cursor', 'page', 'offset']).nullable().describe('the kind of pagination; null: none was recognised'),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'OpenApiTool' });

const skipped = z
  .object({ operation: z.string(), reason: z.string() })
  .describe('an operation that is no tool')
  .meta({ id: 'SkippedOperation' });

const removed = z
  .object({ name: z.string(), version: z.string(), operation: z.string() })
  .describe('a tool of an earlier import that this one does not have. Its versions stay until somebody blocks them')
  .meta({ id: 'RemovedOpenApiTool' });

const secret = z
  .object({ name: z.string(), is_set: z.boolean().describe('for the workspace; users may have their own') })
  .meta({ id: 'OpenApiSecret' });

const about = {
  name: z.string(),
  title: z.string(),
  document_version: z.string(),
  document_digest: z.string().describe('SHA-256 of the document, hex'),
  base_url: z.string(),
};
const report = {
  tools: z.array(tool),
  skipped: z.array(skipped),
  removed: z.array(removed),
  secrets: z.array(secret),
  warnings: z.array(z.string()).describe('about the whole import'),
};

export const importPlan = z
  .object({ ...about, operations: z.int().describe('of the document'), ...report })
  .meta({ id: 'OpenApiImportPlan' });

export const importedDocument = z
  .object({
    ...about,
    operations: z.int().describe('of the document'),
    ...report,
    announced: z.int().describe('tools that executors have announced by now; the others follow'),
    changed_at: timeOf,
    ...everywhere,
  })
  .meta({ id: 'ImportedOpenApiDocument' });

const kept = {
  ...about,
  tools: z.array(z.object({ name: z.string(), version: z.string(), operation: z.string() })),
  imported_by: principalName,
  imported_at: timeOf,
};

const summary = z
  .object({ ...about, tools: z.int().describe('their number'), imported_by: kept.imported_by, imported_at: timeOf })
  .meta({ id: 'OpenApiImportSummary' });
export const importPage = pageOfItems(summary).meta({ id: 'OpenApiImportPage' });

export const importAnswer = z
  .object({ ...kept, options: z.record(z.string(), z.unknown()).describe('what the operator declared beside the document') })
  .meta({ id: 'OpenApiImport' });

export type ImportRequest = z.output<typeof importRequest>;
export type ImportPlan = z.infer<typeof importPlan>;
export type PlannedOpenApiTool = z.infer<typeof tool>;
export type ImportedDocument = z.infer<typeof importedDocument>;
export type ImportAnswer = z.infer<typeof importAnswer>;
export type ImportSummary = z.infer<typeof summary>;
