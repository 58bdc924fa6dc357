import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';
import { pageOfItems, pageQuery } from '../lists/page-query.js';

const statuses = ['running', 'compensating', 'completed', 'compensated', 'compensation_failed', 'aborted'] as const;
const text = z.string().nullable();
const time = timeOf.nullable();
const error = z.unknown().describe('a CallError, or null');

export const sagasQuery = pageQuery.extend({ case_id: z.string().min(1).max(200).optional(), status: z.enum(statuses).optional() });

const saga = z
  .object({
    saga_id: z.string(),
    case_id: text,
    status: z.enum(statuses),
    definition: z.object({ name: z.string(), version: text }).nullable(),
    started_by: z.unknown().describe('the principal'),
    started_at: time,
    ended_at: time,
    failed_step_id: text,
    reason: text,
    error,
  })
  .meta({ id: 'Saga' });

const compensation = z.object({ tool: text, call_id: text, status: z.string(), requested_at: time, ended_at: time, error });

const step = z
  .object({
    step_id: z.string(),
    iteration: z.int(),
    attempt: z.int(),
    tool: text,
    call_id: text,
    status: text,
    error,
    ended_at: time,
    compensation: compensation.nullable(),
  })
  .meta({ id: 'SagaStep' });

export const sagaPage = pageOfItems(saga).meta({ id: 'SagaPage' });
export const sagaWithSteps = saga
  .extend({ defined_steps: z.unknown().describe('the steps of its definition'), steps: z.array(step) })
  .meta({ id: 'SagaWithSteps' });

export type SagasQuery = z.infer<typeof sagasQuery>;
export type SagaAnswer = z.infer<typeof saga>;
export type SagaStepAnswer = z.infer<typeof step>;
export type SagaWithSteps = z.infer<typeof sagaWithSteps>;
