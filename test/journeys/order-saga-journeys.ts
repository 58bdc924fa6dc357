import { beforeAll, describe, expect, test } from 'vitest';
import { messageIdOf } from '../tools/mail/send.js';
import type { Envelope } from './api.js';
import { declinedOrderSaga, orderSaga, orderSagas, pricedOrderSaga, unattendedOrderSaga } from './order-sagas.js';
import type { Saga, SagaJourneyWorld } from './saga-world.js';

const named = ({ name, version }: { name: string; version: string }) => ({ name, version });
const endsOf = ({ steps }: Saga) => Object.fromEntries(steps.map(({ step_id, status, effect }) => [step_id, `${status} ${effect}`]));

/** Sagas of orders, whose steps act on rows of Postgres and on a mail server. */
export function describeOrderSagaJourneys(at: SagaJourneyWorld): void {
  describe('sagas of orders', () => {
    beforeAll(async () => {
      for (const definition of orderSagas) await at.publish(definition);
    });

    test('an order runs to its end: each step once, the shipment after a person approved it, and one mail', async () => {
      const recipient = at.recipient();
      const inputs = await at.orderInputs({ mail_to: recipient.address });
      const started = await at.startSaga({ definition: named(orderSaga), inputs });
      expect(started.status).toBe(202);
      const { saga_id } = started.body;
      const waiting = await at.sagaIs(saga_id, 'awaiting_approval');
      expect(await at.effectsOf(inputs.order_id)).toEqual(['ledger_charge stands', 'ledger_reserve stands']);
      await approve(at, waiting);
      const done = await at.sagaIs(saga_id, 'completed');
      expect(await at.effectsOf(inputs.order_id)).toEqual(['ledger_charge stands', 'ledger_reserve stands', 'ledger_ship stands']);
      const mail = done.steps.find(({ step_id }) => step_id === 'mail');
      const { idempotency_key } = (await at.olga.request<Envelope>('GET', `/v1/calls/${mail?.call_id}`)).body;
      expect(await recipient.messageIds()).toEqual([messageIdOf(idempotency_key)]);
    });

    test('an order that fails at its payment is undone: the reservation by its tool, the price by the definition', async () => {
      const inputs = await at.orderInputs();
      const { body } = await at.startSaga({ definition: named(declinedOrderSaga), inputs });
      const saga = await at.sagaIs(body.saga_id, 'compensated');
      expect(endsOf(saga)).toMatchObject({ reserve: 'succeeded happened', charge: 'failed none' });
      expect(await at.effectsOf(inputs.order_id)).toEqual(['ledger_reserve undone']);
      expect(await at.ledger.available(inputs.sku)).toBe(10);
      expect(await at.ledger.rows('SELECT price_cents FROM articles WHERE sku = $1', [inputs.sku])).toEqual([{ price_cents: 1_000 }]);
    });

    test('the same Idempotency-Key is one saga, and without one each request is another', async () => {
      const inputs = await at.orderInputs({ quantity: 1, amount_cents: 100 });
      const request = { definition: named(unattendedOrderSaga), inputs };
      const key = `order-${inputs.order_id}`;
      const answers = await Promise.all(Array.from({ length: 5 }, () => at.startSaga(request, { key, wait_s: 30 })));
      expect(new Set(answers.map(({ body }) => body.saga_id)).size).toBe(1);
      await at.sagaIs(answers[0]?.body.saga_id as string, 'completed');
      expect(await at.effectsOf(inputs.order_id)).toEqual(['ledger_charge stands', 'ledger_reserve stands', 'ledger_ship stands']);
      const other = await at.startSaga(request);
      await at.sagaIs(other.body.saga_id, 'completed');
      expect(await at.effectsOf(inputs.order_id)).toHaveLength(6);
    });

    test('answers that are lost at every step leave one effect of each', async () => {
      const inputs = await at.orderInputs();
      const { order_id } = inputs;
      for (const tool of ['ledger_reserve', 'ledger_charge', 'ledger_ship'])
        await at.ledger.switchOn({ tool, moment: 'after', fault: 'lose', inputs: { order_id } });
      const { body } = await at.startSaga({ definition: named(unattendedOrderSaga), inputs });
      await at.sagaIs(body.saga_id, 'completed');
      expect(await at.effectsOf(order_id)).toEqual(['ledger_charge stands', 'ledger_reserve stands', 'ledger_ship stands']);
    });

    test('an undo that fails opens a ticket, and a retry by a person ends the saga as compensated', async () => {
      const inputs = await at.orderInputs();
      const { order_id } = inputs;
      await at.ledger.switchOn({ tool: 'ledger_reserve', action: 'compensate', moment: 'before', fault: 'refuse', inputs: { order_id } });
      const { body } = await at.startSaga({ definition: named(declinedOrderSaga), inputs });
      const stuck = await at.sagaIs(body.saga_id, 'compensation_failed');
      expect(stuck.tickets).toMatchObject([{ ticket: 'compensation_failed', step_id: 'reserve', closed_at: null }]);
      expect(await at.effectsOf(order_id)).toEqual(['ledger_reserve stands']);
      expect((await at.control(body.saga_id, 'retry', { step_id: 'reserve' })).status).toBeLessThan(300);
      await at.sagaUntil(body.saga_id, ({ status }) => status === 'compensated');
      expect([await at.effectsOf(order_id), await at.ledger.available(inputs.sku)]).toEqual([['ledger_reserve undone'], 10]);
    });

    test('a cancelled order that waits for its approval is undone', async () => {
      const inputs = await at.orderInputs();
      const { body } = await at.startSaga({ definition: named(orderSaga), inputs });
      await at.sagaIs(body.saga_id, 'awaiting_approval');
      expect((await at.control(body.saga_id, 'cancel', { reason: 'the customer called' })).status).toBeLessThan(300);
      await at.sagaIs(body.saga_id, 'compensated');
      expect(await at.effectsOf(inputs.order_id)).toEqual(['ledger_charge undone', 'ledger_reserve undone']);
      expect([await at.ledger.available(inputs.sku), await at.ledger.balanceCents(inputs.account)]).toEqual([10, 100_000]);
    });

    test('a mail whose answer is lost at the end is a doubt, not a second mail', async () => {
      const recipient = at.recipient();
      const inputs = await at.orderInputs({ mail_to: recipient.address });
      await at.ledger.switchOn({ tool: 'mail_send', moment: 'after', fault: 'lose', inputs: { to: recipient.address } });
      const { body } = await at.startSaga({ definition: named(pricedOrderSaga), inputs });
      const doubtful = await at.sagaUntil(body.saga_id, ({ tickets }) => tickets.length > 0);
      expect(doubtful.tickets).toMatchObject([{ ticket: 'in_doubt', step_id: 'mail' }]);
      expect(await recipient.messageIds()).toHaveLength(1);
      expect(await at.effectsOf(inputs.order_id)).toEqual(['ledger_charge stands', 'ledger_reserve stands']);
    });
  });
}

/** Approves what the saga waits for: the approval of the call of a step, or a question of its own. */
async function approve(at: SagaJourneyWorld, { saga_id, steps, waits }: Saga): Promise<void> {
  const wait = waits.find(({ ended_as }) => ended_as === null);
  if (wait?.wait !== 'call_approval')
    return expect((await at.answerWait(saga_id, wait?.step_id as string, { outcome: 'answered' })).status).toBeLessThan(300);
  const call_id = steps.find(({ step_id }) => step_id === wait.step_id)?.call_id;
  const { approval } = (await at.olga.request<Envelope>('GET', `/v1/calls/${call_id}`)).body;
  const voted = await at.anna.request('POST', `/v1/approvals/${approval?.approval_id}/votes`, { vote: 'approve' });
  expect(voted.status).toBeLessThan(300);
}
