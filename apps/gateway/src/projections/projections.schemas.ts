import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { pageOfItems } from '../lists/page-query.js';

const version = z.int();
const build = z.string();
const asked_offset = z.int().nullable().describe('configuration offset of the rebuild request; null: a new code version started the build');
const count = z.int().min(0);

export const projection = z
  .object({
    name: z.string(),
    version: version.describe('version of the code of this gateway'),
    tables: z.array(z.string()),
    status: z.enum(['live', 'building']),
    live: z
      .object({ version, build, asked_offset })
      .nullable()
      .describe('the build that readers see; null until the first build is complete'),
    building: z
      .object({
        version,
        build,
        asked_offset,
        records: count.describe('number of records folded so far'),
        records_total: count,
        started_at: timeOf.nullable(),
      })
      .nullable()
      .describe('the build in progress; null: none'),
  })
  .meta({ id: 'Projection' });

export const projectionPage = pageOfItems(projection).meta({ id: 'ProjectionPage' });

export const projectionDigest = z
  .object({
    name: z.string(),
    tables: z.array(
      z.object({ table: z.string(), rows: count, digest: z.string().describe('SHA-256 over all rows in the order of their key, hex') }),
    ),
  })
  .meta({ id: 'ProjectionDigest' });

export const requestedRebuild = z
  .object({ name: z.string(), asked_offset: z.int().describe('configuration offset of the request') })
  .meta({ id: 'RequestedRebuild' });

export type ProjectionAnswer = z.infer<typeof projection>;
export type ProjectionDigest = z.infer<typeof projectionDigest>;
export type RequestedRebuild = z.infer<typeof requestedRebuild>;
