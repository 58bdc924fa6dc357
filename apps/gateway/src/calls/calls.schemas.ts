import { CASE_ID_MAX, externalId, metadata, statuses } from '@countersign/calls';
import { z } from 'zod';
import { pageOfItems, pageQuery } from '../http/page-query.js';
import { optionalBody } from '../http/shared-schemas.js';
import { callEnvelope } from './envelope.schema.js';

export const callsQuery = pageQuery.extend({
  status: z.enum(statuses).optional(),
  case_id: z.string().min(1).max(CASE_ID_MAX).optional(),
  external_id: externalId.optional(),
  metadata: metadata.optional().describe('as `metadata.<key>=<value>`, once for each entry that the call must have'),
  run_id: z.string().min(1).max(200).optional(),
  tool: z.string().min(1).max(128).optional(),
});

export const cancelRequest = optionalBody(z.strictObject({ reason: z.string().min(1).max(1000).optional() }));

export const resolveRequest = z.strictObject({
  resolution: z.enum(['happened', 'did_not_happen']),
  output: z.unknown().optional().describe('what the tool would have answered, where it happened'),
  reason: z.string().min(1).max(2000),
});

export const callPage = pageOfItems(callEnvelope).meta({ id: 'EnvelopePage' });

export type CallsQuery = z.infer<typeof callsQuery>;
export type CancelRequest = z.infer<typeof cancelRequest>;
export type ResolveRequest = z.infer<typeof resolveRequest>;
