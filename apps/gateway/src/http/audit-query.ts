import { Refusal } from '@countersign/calls';
import { z } from 'zod';
import { type AuditFilter } from '../audit/audit-events.js';
import { exportFormats } from '../exports/export-format.js';
import { fromQuery } from './from-query.js';

/** RFC 3339, as epoch ms. */
const time = z.iso
  .datetime({ offset: true })
  .transform((text) => Date.parse(text))
  .optional();
const name = z.string().min(1).max(200).optional();

const auditFilters = { from: time, to: time, call_id: name, case_id: name, type: name, caller: name };
/** A cursor of the list names an offset a partition. */
export const auditListQuery = {
  ...auditFilters,
  limit: fromQuery(z.number().int().min(1).max(500)).default(100),
  cursor: z.string().max(12_000).optional(),
};
export const exportQuery = {
  ...auditFilters,
  format: z.enum(exportFormats).default('ndjson'),
  cursor: z.string().max(500).optional(),
  after_checkpoint: fromQuery(z.number().int().min(1).max(Number.MAX_SAFE_INTEGER)).optional(),
};

type Asked = { [K in keyof typeof auditFilters]?: z.output<(typeof auditFilters)[K]> };

export const filterOf = ({ from, to, call_id, case_id, type, caller }: Asked): AuditFilter => ({
  from_ms: from,
  to_ms: to,
  call_id,
  case_id,
  type,
  caller,
});

export const badCursor = (): Refusal =>
  new Refusal('invalid-request', 'the cursor is none of ours', {
    issues: [{ path: '/cursor', code: 'cursor', message: 'is not valid' }],
  });
