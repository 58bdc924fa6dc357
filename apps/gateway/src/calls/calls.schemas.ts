import { statuses } from '@countersign/calls';
import { z } from 'zod';
import { optionalBody } from '../answers/shared-schemas.js';
import { pageOfItems, pageQuery } from '../lists/page-query.js';
import { callEnvelope } from './envelope.schema.js';

export const callsQuery = pageQuery.extend({
  status: z.enum(statuses).optional(),
  case_id: z.string().min(1).max(100).optional(),
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
