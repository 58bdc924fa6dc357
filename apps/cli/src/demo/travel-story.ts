import type { CallEnvelope } from '@countersign/client';
import { call, ended, openCase, reference } from './demo-calls.js';
import { answerTo } from './demo-fault.js';
import type { Demonstrator, DemoPeople } from './demo-people.js';
import type { Told } from './told.js';

const flight = (flight: string, passenger: string) => ({ flight, date: '2027-03-14', passenger });

/** Books and has an operator undo it. */
async function undone({ travel, ben }: DemoPeople, case_id: string): Promise<CallEnvelope> {
  const booked = await call(travel, { name: 'undone', tool: 'demo_book_flight', inputs: flight('TP 571', 'Ada'), case_id });
  if (booked.status !== 'succeeded') return booked;
  const params = { path: { call_id: booked.call_id } };
  const { preview_digest } = await answerTo('preview of the undo', ben.api.GET('/v1/calls/{call_id}/undo', { params }));
  const body = { preview_digest, reason: 'the trip was moved' };
  await answerTo('undo', ben.api.POST('/v1/calls/{call_id}/undo', { params, body: body as never }));
  return ended(travel, booked);
}

async function startSaga(by: Demonstrator, name: string, definition: object, case_id: string): Promise<string> {
  const headers = { 'idempotency-key': reference(name), prefer: 'wait=10' };
  const body = { definition, case_id };
  return (await answerTo(`saga ${name}`, by.api.POST('/v1/sagas', { body: body as never, headers: headers as never }))).saga_id;
}

const trip = (name: string, hotel: string, more: readonly object[] = []) => ({
  name,
  version: '1.0.0',
  steps: [
    { id: 'flight', tool: 'demo_book_flight', inputs: flight('LH 1166', name === 'trip_to_lisbon' ? 'Grace' : 'Alan') },
    { id: 'hotel', tool: 'demo_book_hotel', inputs: { hotel, nights: 3, guest: name === 'trip_to_lisbon' ? 'Grace' : 'Alan' } },
    ...more,
  ],
});

/** Travel: a booking that was undone, a saga that took back what it did, and one that waits for a person. */
export async function travel(people: DemoPeople): Promise<Told[]> {
  const { travel: agent } = people;
  const case_id = await openCase(agent, 'travel', 'Trips to Lisbon');
  const booking = await undone(people, case_id);
  const compensated = await startSaga(agent, 'saga-compensated', trip('trip_to_lisbon', 'Grand Hotel'), case_id);
  const deposit = {
    id: 'deposit',
    tool: 'demo_pay_supplier',
    inputs: { supplier: 'Hotel Mondego', amount: 310, currency: 'EUR', invoice: 'DEP-310' },
  };
  const waiting = await startSaga(agent, 'saga-waiting', trip('trip_with_deposit', 'Hotel Mondego', [deposit]), case_id);
  return [
    { what: 'a booking that an operator undid', where: `/calls/${booking.call_id}` },
    { what: 'a saga that took its flight back, because the hotel was sold out', where: `/sagas/${compensated}` },
    { what: 'a saga that waits for the approval of a deposit', where: `/sagas/${waiting}` },
    { what: 'the case of the trips', where: `/cases/${case_id}` },
  ];
}
