import type { components } from '@countersign/client';

type Schemas = components['schemas'];
export type Saga = Schemas['Saga'];
export type SagaWithSteps = Schemas['SagaWithSteps'];
export type Step = Schemas['SagaStep'];
export type Wait = Schemas['SagaWait'];
export type Ticket = Schemas['SagaTicket'];
export type TicketAction = Schemas['SagaTicketAction'];
export type SkippedLevel = Schemas['SkippedSagaLevel'];
export type Block = Schemas['SagaBlock'];

const ENDS: ReadonlySet<string> = new Set<Saga['status']>(['completed', 'compensated', 'aborted']);

/** Whether nothing more can happen to a saga. One whose compensation failed waits for a person. */
export const hasEnded = ({ status, ended_at }: Pick<Saga, 'status' | 'ended_at'>): boolean => ended_at !== null || ENDS.has(status);

/** Whether it already undoes what it did. */
export const isTurned = ({ status }: Pick<Saga, 'status'>): boolean => status === 'compensating' || status === 'compensation_failed';

/** What a saga is called: its definition, or what it undoes. */
export function sagaTitle({ definition, undoes, saga_id }: Pick<Saga, 'definition' | 'undoes' | 'saga_id'>): string {
  if (undoes > 0) return `Undo of ${undoes} ${undoes === 1 ? 'call' : 'calls'}`;
  return definition?.name ?? saga_id;
}

/** Name of the step in its definition: `ship` of `ship[2]`. */
export const stepName = (step_id: string): string => step_id.replace(/(\[\d+\])+$/, '');

const CLOSED: Readonly<Record<string, string>> = {
  retry: 'tried again',
  accept: 'left as it was',
  done_by_hand: 'done by hand',
  evidence: 'resolved by evidence',
  turned: 'the saga turned back',
  ended: 'the saga ended',
};

/** How a ticket was closed, in words. */
export const closedText = (closed_as: string | null): string =>
  (closed_as !== null && Object.hasOwn(CLOSED, closed_as) ? CLOSED[closed_as] : undefined) ?? 'closed';
