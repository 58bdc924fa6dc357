import { CASE_ID_MAX } from '@countersign/calls';
import { sagaStatuses } from '@countersign/store';
import { z } from 'zod';
import { principalName, timeOf } from '../answers/shared-schemas.js';
import { commaList, pageOfItems, pageQuery } from '../lists/page-query.js';

const text = z.string().nullable();
const time = timeOf.nullable();
const error = z.unknown().describe('a CallError, or null');
const callLink = z.string().nullable().describe('where the call is read');

export const sagasQuery = pageQuery.extend({
  case_id: z.string().min(1).max(CASE_ID_MAX).optional(),
  definition: z.string().min(1).max(64).optional().describe('name of the definition'),
  status: commaList(z.enum(sagaStatuses)).optional().describe('comma-separated: any of these'),
});

const saga = z
  .object({
    saga_id: z.string(),
    case_id: text,
    status: z.enum(sagaStatuses),
    definition: z.object({ name: z.string(), version: text }).meta({ id: 'SagaDefinitionName' }).nullable(),
    definition_digest: text.describe('SHA-256 of the definition that it runs, hex'),
    started_by: principalName.nullable(),
    on_behalf_of: text.describe('id of the user for whom it was started'),
    started_at: time,
    deadline_at: time.describe('as requested; the clock stands still while a person decides'),
    paused: z.boolean(),
    ended_at: time,
    failed_step_id: text,
    reason: text,
    error,
    undoes: z.int().describe('how many earlier calls it undoes; 0: it runs its definition'),
  })
  .meta({ id: 'Saga' });

const undoStates = [
  ...(['requested', 'executed', 'failed', 'unconfirmed', 'missing'] as const),
  ...(['retry_requested', 'done_by_hand', 'accepted'] as const),
] as const;

const compensation = z
  .object({
    tool: text,
    version: text,
    call_id: text,
    call: callLink,
    status: z
      .enum(undoStates)
      .describe(
        'unconfirmed: nobody knows whether it took effect; missing: nothing undoes the step; the last three: what a person decided',
      ),
    requested_at: time,
    ended_at: time,
    error,
  })
  .meta({ id: 'SagaCompensation' });

const step = z
  .object({
    step_id: z.string().describe('name of the step, and the index of the item in each map around it: `ship[2]`'),
    attempt: z.int().describe('number of the call within the step, from 1'),
    level: z.int().nullable().describe('fallback level, from 0'),
    tool: text,
    version: text,
    call_id: text,
    call: callLink,
    requested_at: time,
    deadline_at: time,
    is_irreversible: z.boolean().nullable(),
    repairs: z.array(z.string()).describe('what was changed in the inputs of a read after its last call'),
    cancel_requested: z.boolean(),
    status: text.describe('status of its call when that ended; null: it has not ended; skipped: its condition was false'),
    effect: text.describe('happened, none or unknown'),
    error,
    ended_at: time,
    compensation: compensation.nullable(),
  })
  .meta({ id: 'SagaStep' });

const wait = z
  .object({
    step_id: z.string(),
    wait: z.enum(['approval', 'event', 'time', 'manual', 'call_approval']),
    question: text.describe('what a person is asked, or must do; null for a moment and for the approval of a call'),
    event: text.describe('name of the event that it waits for'),
    until: timeOf.describe('it ends then at the latest'),
    opened_at: timeOf,
    ended_as: text.describe('answered, refused, expired or withdrawn; null: it is open'),
    ended_by: principalName.nullable(),
    ended_at: time,
    reason: text,
    answer_schema: z.unknown().describe('JSON Schema of the answer of an open wait; null: any answer'),
    answer_at: text.describe('where an open wait is answered with POST'),
  })
  .meta({ id: 'SagaWait' });

const skippedLevel = z
  .object({
    step_id: z.string(),
    level: z.int().describe('fallback level, from 0'),
    tool: z.string(),
    version: z.string(),
    reason: z.enum(['circuit_open', 'rate_budget_empty', 'deadline']),
    skipped_at: timeOf,
  })
  .meta({ id: 'SkippedSagaLevel' });

const action = z
  .object({
    act: z.enum(['retry', 'done_by_hand', 'accept', 'cancel', 'resolve_call', 'undo_call']),
    href: z.string().describe('POST here'),
    step_id: text.describe('send this as `step_id`'),
    what: z.string(),
  })
  .meta({ id: 'SagaTicketAction' });

const ticket = z
  .object({
    ticket_id: z.string(),
    saga_id: z.string(),
    ticket: z.enum(['in_doubt', 'failed_after_pivot', 'overdue_after_pivot', 'compensation_failed', 'late_effect']),
    what: z.string().describe('what happened, and what a person has to decide'),
    step_id: text,
    call_id: text,
    call: callLink,
    opened_at: timeOf,
    closed_at: time.describe('null: it is open'),
    closed_as: text.describe('retry, accept, done_by_hand, evidence, turned (the saga turned back) or ended'),
    actions: z.array(action).describe('what may be done; empty once it is closed'),
  })
  .meta({ id: 'SagaTicket' });

export const sagaPage = pageOfItems(saga).meta({ id: 'SagaPage' });
export const sagaSummary = saga;
export const sagaWithSteps = saga
  .extend({
    pivot_step_id: text.describe('the irreversible step that stands, with all that took effect before it'),
    steps: z.array(step).describe('one for each call of a step, of all fallback levels'),
    skipped_levels: z.array(skippedLevel).describe('levels that were skipped without a call'),
    waits: z.array(wait),
    tickets: z.array(ticket),
  })
  .meta({ id: 'SagaWithSteps' });

export const ticketsQuery = pageQuery.extend({
  status: z.enum(['open', 'closed', 'any']).default('open'),
  saga_id: z.string().min(1).max(200).optional(),
});

const listedTicket = ticket
  .extend({
    case_id: text,
    definition: z.object({ name: z.string(), version: text }).nullable(),
    tool: text.describe('of a failed compensation: the tool that undoes'),
    error,
    age_s: z.int().describe('seconds since it opened, until it closed'),
  })
  .meta({ id: 'ListedSagaTicket' });
export const ticketPage = pageOfItems(listedTicket).meta({ id: 'SagaTicketPage' });

export type SagasQuery = z.infer<typeof sagasQuery>;
export type SagaSummary = z.infer<typeof saga>;
export type SagaStepAnswer = z.infer<typeof step>;
export type SagaWaitAnswer = z.infer<typeof wait>;
export type SagaTicketAnswer = z.infer<typeof ticket>;
export type SagaTicketAction = z.infer<typeof action>;
export type SagaWithSteps = z.infer<typeof sagaWithSteps>;
export type TicketsQuery = z.infer<typeof ticketsQuery>;
export type ListedTicket = z.infer<typeof listedTicket>;
