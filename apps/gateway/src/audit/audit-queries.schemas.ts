import { z } from 'zod';
import { exportFormats } from '../exports/export-format.js';
import { queryLimit, queryNumber } from '../lists/page-query.js';
import type { AuditFilter } from './audit-events.js';
import { parseExportCursor } from './export-cursor.js';
import { parsePositions } from './list-cursor.js';

const whole = (minimum: number) => queryNumber({ type: 'integer', minimum, maximum: Number.MAX_SAFE_INTEGER });
const cosigned = z.enum(['true', 'false']).optional().describe('true: use only a checkpoint that all witnesses cosigned');

/** RFC 3339, converted to epoch ms. */
const time = z.iso
  .datetime({ offset: true })
  .transform((text) => Date.parse(text))
  .optional();
const name = z.string().min(1).max(200).optional();

const filters = {
  from: time.describe('append time, inclusive'),
  to: time.describe('append time, exclusive'),
  call_id: name,
  case_id: name,
  type: name.describe('event type, for example `tool_executed`'),
  caller: name.describe('`kind:id`, or the id alone'),
};

type Filters = { [K in keyof typeof filters]?: z.output<(typeof filters)[K]> };

export const filterOf = ({ from, to, call_id, case_id, type, caller }: Filters): AuditFilter => ({
  from_ms: from,
  to_ms: to,
  call_id,
  case_id,
  type,
  caller,
});

const notACursor = { params: { code: 'cursor' }, message: 'is not a cursor of this API' };

/** The query of `GET /v1/audit/events`. The list cursor has one offset for each partition. */
export const auditListQuery = z.strictObject({
  ...filters,
  limit: queryLimit().default(100),
  cursor: z
    .string()
    .max(12_000)
    .refine((text) => parsePositions(text) !== undefined, notACursor)
    .optional(),
});

/** The query of `GET /v1/audit/export`. */
export const exportQuery = z
  .strictObject({
    ...filters,
    format: z.enum(exportFormats).default('ndjson'),
    cursor: z
      .string()
      .max(500)
      .refine((text) => parseExportCursor(text) !== undefined, notACursor)
      .optional()
      .describe('cursor of a row: the export continues after it. Not for parquet'),
    after_checkpoint: whole(1).optional().describe('size of a checkpoint: export only later records'),
  })
  .refine(({ cursor, format }) => cursor === undefined || format !== 'parquet', {
    path: ['cursor'],
    params: { code: 'cursor' },
    message: 'parquet exports have no cursor: request the whole file',
  });

export const proofQuery = z.strictObject({
  event_id: z.uuid().optional(),
  topic: z.string().min(1).max(255).optional(),
  partition: whole(0).optional(),
  offset: whole(0).optional(),
});
const timestamped = z.enum(['true', 'false']).optional().describe('true: use only a checkpoint that has a timestamp');
export const timestampQuery = z.strictObject({
  size: whole(1).optional().describe('size of a checkpoint: the oldest timestamp of it or of a later one; absent: the newest'),
});
export const checkpointQuery = z.strictObject({ cosigned });
export const bundleQuery = z.strictObject({
  cosigned,
  timestamped,
  call_id: z.string().min(1).max(200).optional(),
  case_id: z.string().min(1).max(200).optional(),
});
export const consistencyQuery = z.strictObject({ first: whole(1).describe('size of the earlier checkpoint') });
export const leavesQuery = z.strictObject({
  topic: z.string().min(1).max(255),
  partition: whole(0),
  first: whole(0).describe('offset of the first leaf'),
});
export const headsQuery = z.strictObject({ size: whole(1).optional().describe('size of the checkpoint; absent: the newest') });
export const entriesQuery = z.strictObject({
  first: whole(0).describe('size of the checkpoint before the page; 0: from the first entry'),
  second: whole(1).optional().describe('size of the newest checkpoint that the page may end with'),
});

export type AuditListQuery = z.infer<typeof auditListQuery>;
export type ExportQuery = z.infer<typeof exportQuery>;
export type ProofQuery = z.infer<typeof proofQuery>;
export type BundleQuery = z.infer<typeof bundleQuery>;
export type LeavesQuery = z.infer<typeof leavesQuery>;
export type Cosigned = z.infer<typeof checkpointQuery>['cosigned'];
