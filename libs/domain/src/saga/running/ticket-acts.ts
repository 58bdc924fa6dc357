import type { SagaAct } from '@countersign/contracts';

/** What a person may decide about a compensation that is stuck, or a step that failed after the pivot. */
export const ticketActs = ['retry', 'done_by_hand', 'accept'] as const satisfies readonly SagaAct[];
export type TicketAct = (typeof ticketActs)[number];

export const isTicketAct = (act: SagaAct): act is TicketAct => (ticketActs as readonly SagaAct[]).includes(act);
