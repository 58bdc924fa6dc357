import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { callApproval, callDecision, callEnvelope, callError } from '../calls/envelope.schema.js';
import { pageOfItems } from '../lists/page-query.js';

const types = [
  ...['case_opened', 'case_closed', 'tool_call_pending', 'policy_decided', 'tool_call_pending_approval', 'approval_voted'],
  ...[
    'approval_granted',
    'approval_denied',
    'approval_expired',
    'call_cancelled',
    'tool_call_rejudged',
    'tool_call_in_doubt',
    'tool_call_resolved',
  ],
  ...['tool_retry_deduplicated', 'tool_call_complete', 'tool_call_failed', 'saga_started', 'compensation_requested'],
  ...['compensation_executed', 'compensation_failed', 'saga_ended'],
];

const { mapped_input, mapping, mapping_version, duration_ms, retry_count, version, withheld } = callEnvelope.shape;
const { deduplicated_because, original_call_id, effect_now, superseded_by } = callEnvelope.shape;
const text = z.string().nullable();
const ofCall = z
  .object({
    tool: text,
    version,
    inputs: z.unknown(),
    result: z.unknown(),
    error: z.unknown().describe('a CallError, or null'),
    mapped_input,
    mapping,
    mapping_version,
    approval: callApproval.partial().nullable().describe('state at that time'),
    by: text,
    vote: z.enum(['approve', 'deny', 'edit', 'delegate', 'revoke']),
    to: text.describe('to whom a vote was passed'),
    refused_because: text.describe('why a vote did not count'),
    reason: text,
    duration_ms,
    retry_count,
    deduplicated_because,
    original_call_id,
    effect_now,
    superseded_by,
    decision: callDecision
      .partial()
      .extend({
        reason: z.union([z.string(), callError.partial().extend({ details_json: text })]).nullish(),
        joined_call_id: text.optional(),
      })
      .describe('the decision of that revision'),
    rationale: text,
    skill: text,
    step: text,
    rule: text,
    withheld,
  })
  .partial().shape;

const ofSaga = z
  .object({
    saga_id: z.string(),
    definition: text,
    definition_version: text,
    definition_digest: text,
    step_id: z.string(),
    iteration: z.int(),
    attempt: z.int(),
    of_call_id: z.string(),
    status: z.string(),
    failed_step_id: text,
    pivot_step_id: text,
    failure: text,
    started_at_ms: z.number(),
    requested_at_ms: z.number(),
    executed_at_ms: z.number(),
    failed_at_ms: z.number(),
    ended_at_ms: z.number(),
  })
  .partial().shape;

/** A line of the timeline of a case: its type determines its members. */
export const caseHistoryLine = z.object({
  case_id: z.string(),
  type: z.enum(types),
  occurred_at: timeOf,
  at: timeOf.describe('the same as `occurred_at`'),
  event_id: z.string(),
  call_id: text,
  ...ofCall,
  ...ofSaga,
});

/** `fields` may leave out any member of a line. */
export const caseHistoryPage = pageOfItems(caseHistoryLine.partial().meta({ id: 'CaseHistoryLine' })).meta({ id: 'CaseHistoryPage' });
