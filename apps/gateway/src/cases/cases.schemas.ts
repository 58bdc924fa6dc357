import { externalId, metadata, subjectsRequest } from '@countersign/calls';
import { z } from 'zod';
import { optionalBody, timeOf } from '../answers/shared-schemas.js';
import { commaList, pageOfItems, pageQuery, queryTime } from '../lists/page-query.js';
import { caseHistoryLine } from './case-history.schema.js';

const external_id = externalId
  .optional()
  .describe(
    'your own reference, unique for each case: 1 to 200 visible characters. `ext:` and the reference can replace the case id everywhere',
  );
const title = z.string().min(1).max(400).optional();

export const caseRequest = optionalBody(z.strictObject({ title, subjects: subjectsRequest, external_id, metadata: metadata.optional() }));
export const caseChange = z.strictObject({
  state: z.enum(['open', 'closed']),
  title,
  subjects: subjectsRequest,
  metadata: metadata.optional(),
});
export const casesQuery = pageQuery.extend({
  status: z.enum(['open', 'awaiting_approval', 'closed']).optional(),
  external_id: externalId.optional(),
  metadata: metadata.optional().describe('`metadata.<key>=<value>`, repeated for each entry that the case must have'),
  opened_after: queryTime.optional().describe('at this time or later'),
  opened_before: queryTime.optional().describe('before this time'),
  text: z.string().min(2).max(100).optional().describe('case-insensitive substring of the title. Sealed titles are not searched'),
});

export const historyMembers = Object.keys(caseHistoryLine.shape);

export const historyQuery = pageQuery.extend({
  order: z.enum(['oldest', 'newest']).default('oldest').describe('which lines come first'),
  call_id: z.string().min(1).max(200).optional().describe('lines of this call'),
  fields: commaList(z.enum(historyMembers)).optional().describe('comma-separated: return only these members of each line'),
});

export const caseAnswer = z
  .object({
    case_id: z.string(),
    tenant_id: z.string(),
    status: z.enum(['open', 'awaiting_approval', 'closed']),
    title: z.string().nullable(),
    external_id: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    opened_at: timeOf,
    changed_at: timeOf,
  })
  .meta({ id: 'Case' });

export const casePage = pageOfItems(caseAnswer).meta({ id: 'CasePage' });

export type CaseRequest = z.infer<typeof caseRequest>;
export type CaseChange = z.infer<typeof caseChange>;
export type CasesQuery = z.infer<typeof casesQuery>;
export type HistoryQuery = z.infer<typeof historyQuery>;
export type CaseAnswer = z.infer<typeof caseAnswer>;
