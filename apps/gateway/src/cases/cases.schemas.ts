import { subjectsRequest } from '@countersign/calls';
import { z } from 'zod';
import { optionalBody, timeOf } from '../answers/shared-schemas.js';
import { pageOfItems, pageQuery } from '../lists/page-query.js';

const title = z.string().min(1).max(400).optional();

export const caseRequest = optionalBody(z.strictObject({ title, subjects: subjectsRequest }));
export const caseChange = z.strictObject({ state: z.enum(['open', 'closed']), title, subjects: subjectsRequest });
export const casesQuery = pageQuery.extend({ status: z.enum(['open', 'awaiting_approval', 'closed']).optional() });

export const caseAnswer = z
  .object({
    case_id: z.string(),
    tenant_id: z.string(),
    status: z.enum(['open', 'awaiting_approval', 'closed']),
    title: z.string().nullable(),
    opened_at: timeOf,
    changed_at: timeOf,
  })
  .meta({ id: 'Case' });

export const casePage = pageOfItems(caseAnswer).meta({ id: 'CasePage' });

export type CaseRequest = z.infer<typeof caseRequest>;
export type CaseChange = z.infer<typeof caseChange>;
export type CasesQuery = z.infer<typeof casesQuery>;
export type CaseAnswer = z.infer<typeof caseAnswer>;
