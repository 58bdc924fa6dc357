import type { SagaTicket } from '@countersign/contracts';
import { ticketActs } from '@countersign/domain';
import type { SagaTicketRow } from '@countersign/store';
import { isoOf } from '../answers/shared-schemas.js';
import type { SagaTicketAction, SagaTicketAnswer } from './sagas.schemas.js';

type Act = SagaTicketAction['act'];

/** What happened, for a person who knows only the saga. */
const happened: Readonly<Record<SagaTicket, string>> = {
  in_doubt: 'The outcome of the call is unknown. Find out whether it took effect, and resolve the call.',
  failed_after_pivot: 'The step failed after an irreversible step took effect. The saga waits: it can only go forward, or be cancelled.',
  overdue_after_pivot: 'The deadline passed after an irreversible step took effect. The saga goes on; cancel it to stop.',
  compensation_failed: 'The effect of the step is not undone. The saga waits for a person.',
  late_effect: 'The call took effect after the saga had gone on without it. Undo the call and say that it is done, or leave its effect.',
};
const acts: Readonly<Record<SagaTicket, readonly Act[]>> = {
  in_doubt: ['resolve_call'],
  failed_after_pivot: [...ticketActs, 'cancel'],
  overdue_after_pivot: ['cancel'],
  compensation_failed: ticketActs,
  late_effect: ['undo_call', 'done_by_hand', 'accept'],
};
const whats: Readonly<Record<Act, string>> = {
  retry: 'try again with the same key and inputs',
  done_by_hand: 'a person did it; the reason is required',
  accept: 'leave it as it is; the reason is required',
  cancel: 'undo what took effect after the last irreversible step',
  resolve_call: 'record whether the call took effect',
  undo_call: 'undo the call; preview it first with GET',
};
const paths: Readonly<Record<Act, string>> = {
  ...{ retry: 'retry', done_by_hand: 'done-by-hand', accept: 'accept', cancel: 'cancel', resolve_call: 'resolve', undo_call: 'undo' },
};

export const callLink = (call_id: string | null): string | null => (call_id === null ? null : `/v1/calls/${call_id}`);

function actionOf(act: Act, { saga_id, step_id, call_id }: Pick<SagaTicketRow, 'saga_id' | 'step_id' | 'call_id'>): SagaTicketAction {
  const ofCall = act === 'resolve_call' || act === 'undo_call';
  const href = ofCall ? `${callLink(call_id)}/${paths[act]}` : `/v1/sagas/${saga_id}/${paths[act]}`;
  return { act, href, step_id: ofCall || act === 'cancel' ? null : step_id, what: whats[act] };
}

/** What happened and what may be done about it. */
export const ticketAdvice = (row: Pick<SagaTicketRow, 'ticket' | 'saga_id' | 'step_id' | 'call_id'>) => ({
  what: happened[row.ticket],
  actions: acts[row.ticket]
    .filter((act) => row.call_id !== null || (act !== 'resolve_call' && act !== 'undo_call'))
    .map((act) => actionOf(act, row)),
});

export function ticketOf(row: SagaTicketRow): SagaTicketAnswer {
  const { saga_id, opened_offset, ticket, step_id, call_id, opened_at_ms, closed_at_ms, closed_as } = row;
  const { what, actions } = ticketAdvice(row);
  return {
    ...{ ticket_id: `${saga_id}.${opened_offset}`, saga_id, ticket, what, step_id, call_id, call: callLink(call_id) },
    ...{ opened_at: new Date(opened_at_ms).toISOString(), closed_at: isoOf(closed_at_ms), closed_as },
    actions: closed_at_ms === null ? actions : [],
  };
}
