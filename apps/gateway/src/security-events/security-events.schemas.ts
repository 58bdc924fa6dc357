import { z } from 'zod';
import { principalAnswer, timeOf } from '../answers/shared-schemas.js';
import { pageOfItems, pageQuery } from '../lists/page-query.js';

/** Query of `GET /v1/security-events`. */
export const securityEventQuery = pageQuery.extend({
  kind: z.string().min(1).max(200).optional(),
  call_id: z.string().min(1).max(100).optional(),
  principal_id: z.string().min(1).max(200).optional(),
});

const securityEvent = z
  .object({
    event_id: z.string(),
    kind: z.string(),
    detail: z.string(),
    call_id: z.string().nullable(),
    times: z.int().min(1).describe('number of occurrences within the second of this record'),
    principal: principalAnswer.nullable().describe('the principal that caused it; null: unknown'),
    at: timeOf,
  })
  .meta({ id: 'SecurityEvent' });

export const securityEventPage = pageOfItems(securityEvent).meta({ id: 'SecurityEventPage' });

export type SecurityEventQuery = z.infer<typeof securityEventQuery>;
export type SecurityEventAnswer = z.infer<typeof securityEvent>;
