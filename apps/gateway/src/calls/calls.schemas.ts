import { CASE_ID_MAX, externalId, metadata, statuses } from '@countersign/calls';
import { z } from 'zod';
import { optionalBody } from '../answers/shared-schemas.js';
import { ListMembers } from '../lists/list-members.js';
import { commaList, pageOfItems, pageQuery, queryTime } from '../lists/page-query.js';
import { callApproval, callDecision, callEnvelope, callError } from './envelope.schema.js';

const summary = z
  .string()
  .nullable()
  .describe('what the call does, in one sentence from the contract of its tool and its inputs; of large or withheld inputs only the title');

/** Members of a listed call: caller, tool and outcome. Inputs, results and explanations must be expanded. */
export const callMembers = new ListMembers(callEnvelope.extend({ summary }), {
  call_id: true,
  tool: true,
  version: true,
  status: true,
  effect: true,
  case_id: true,
  run_id: true,
  external_id: true,
  principal: true,
  on_behalf_of: true,
  requested_at: true,
  started_at: true,
  ended_at: true,
  error: ['code', 'reason', 'message'],
  decision: ['effect', 'rule', 'tier'],
  approval: ['approval_id', 'status'],
  deduplicated: true,
  trace_id: true,
  withheld: true,
});

/** Filters without an index: calls are read one by one, newest first. */
const scanned = {
  principal: z.string().min(1).max(200).optional().describe('id of the caller'),
  on_behalf_of: z.string().min(1).max(200).optional().describe('id of the user that the caller acted on behalf of'),
  saga_id: z.string().min(1).max(200).optional().describe('id of the saga that made the call'),
  trace_id: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'is 32 hex digits')
    .optional(),
  text: z
    .string()
    .min(2)
    .max(100)
    .optional()
    .describe(
      'case-insensitive substring of the call id, tool, case, run, error message or inputs. Inputs and messages are not searched if a personal-data rule applies to the call or the reader lacks a marking',
    ),
};

export const callsQuery = pageQuery.extend({
  status: commaList(z.enum(statuses)).optional().describe('comma-separated: any of these'),
  case_id: z.string().min(1).max(CASE_ID_MAX).optional(),
  external_id: externalId.optional(),
  metadata: metadata.optional().describe('`metadata.<key>=<value>`, repeated for each entry that the call must have'),
  run_id: z.string().min(1).max(200).optional(),
  tool: z.string().min(1).max(128).optional(),
  requested_after: queryTime.optional().describe('at this time or later'),
  requested_before: queryTime.optional().describe('before this time'),
  ...scanned,
  ...callMembers.query,
});

/** Order of the answers of a batch. */
export const batchQuery = z.strictObject({
  order: z
    .enum(['completion', 'index'])
    .default('completion')
    .describe('`completion`: lines in the order in which calls end; `index`: lines in the order of the request'),
});

export const cancelRequest = optionalBody(
  z.strictObject({
    reason: z.string().min(1).max(1000).optional(),
    only_before_fire: z
      .boolean()
      .default(false)
      .describe('leave a call alone that may have fired; otherwise its tool is asked to stop, and its outcome may be in doubt'),
  }),
);

export const resolveRequest = z.strictObject({
  resolution: z.enum(['happened', 'did_not_happen']),
  output: z.unknown().optional().describe('the output of the tool, if the effect happened'),
  reason: z.string().min(1).max(2000),
});

const listedCall = callEnvelope
  .partial()
  .extend({
    error: callError.partial().nullable().optional(),
    decision: callDecision.partial().nullable().optional(),
    approval: callApproval.partial().nullable().optional(),
    summary: summary.optional(),
  })
  .meta({ id: 'CallListItem', description: 'a summary of a call, or the members that `fields` and `expand` name' });

export const callPage = pageOfItems(listedCall).meta({ id: 'CallPage' });

export type BatchQuery = z.infer<typeof batchQuery>;

export type CallsQuery = z.infer<typeof callsQuery>;
export type CancelRequest = z.infer<typeof cancelRequest>;
export type ResolveRequest = z.infer<typeof resolveRequest>;
