import { z } from 'zod';
import { everywhere, timeOf } from '../answers/shared-schemas.js';
import { pageOfItems } from '../lists/page-query.js';

export const ROWS_MAX = 20_000;
const key = z.string().min(1).max(300);
const byKey = z.record(key, z.json());

/** Body of `PUT /v1/facts/{table}`. */
export const factsRequest = z
  .strictObject({ rows: z.union([z.array(key).max(ROWS_MAX), byKey]).describe('rows by key, or a list of keys whose rows are all `true`') })
  .meta({ id: 'FactRows' });
/** Body of `PATCH /v1/facts/{table}`. */
export const factsChange = z
  .strictObject({ set: byKey.default({}), remove: z.array(key).max(ROWS_MAX).default([]) })
  .meta({ id: 'FactRowsChange' });

const shape = {
  table: z.string(),
  version: z.int().min(1).describe('starts at 1; each change increments it'),
  rows: z.int().min(0).describe('number of rows'),
  changed_by: z.string().describe('the principal that changed it'),
  changed_at: timeOf,
};

export const factTablePage = pageOfItems(z.object({ ...shape, etag: z.string() }).meta({ id: 'FactTableSummary' })).meta({
  id: 'FactTablePage',
});
export const changedFactTable = z.object({ ...shape, ...everywhere }).meta({ id: 'ChangedFactTable' });

export const factTable = z.object({ ...shape, rows: z.record(z.string(), z.unknown()).describe('rows by key') }).meta({ id: 'FactTable' });
export const factTableVersionPage = pageOfItems(factTable).meta({ id: 'FactTableVersionPage' });

export type FactsRequest = z.infer<typeof factsRequest>;
export type FactsChange = z.infer<typeof factsChange>;
export type FactTableAnswer = z.infer<typeof factTable>;
export type FactTableSummary = Omit<z.infer<typeof changedFactTable>, 'config_offset' | 'instances'>;
