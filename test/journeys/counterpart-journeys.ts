import { describe, expect, test } from 'vitest';
import { messageIdOf } from '../tools/mail/send.js';
import type { Answer, Envelope } from './api.js';
import { orderSagas } from './order-sagas.js';
import type { SagaJourneyWorld } from './saga-world.js';

interface Undone {
  items: { undone: boolean; confirmed: boolean | null; status: string | null; reason: string | null }[];
  reason?: string;
  later_effects?: { call_id: string }[];
}

type Undoable = Envelope & { compensated_by: string | null };

/** Calls and undos of calls whose tools act on rows of Postgres and on a mail server, and what goes wrong there. */
export function describeCounterpartJourneys(at: SagaJourneyWorld): void {
  const call = async (tool: string, inputs: object): Promise<Envelope> =>
    (await at.agent.call({ tool, inputs: inputs as Record<string, unknown> })).body;
  const undo = async ({ call_id }: Envelope): Promise<Answer<Undone>> => {
    const url = `/v1/calls/${call_id}/undo`;
    const { preview_digest } = (await at.olga.request<{ preview_digest: string }>('GET', url)).body;
    return at.olga.request<Undone>('POST', url, { preview_digest });
  };
  const once = async (tool: string, { idempotency_key: key }: Envelope) =>
    expect((await at.ledger.effects()).find((effect) => effect.key === key)).toMatchObject({ tool, count: 1 });
  const order = async () => {
    const { order_id, sku, quantity, account, amount_cents } = await at.orderInputs();
    return { reserve: { order_id, sku, quantity }, charge: { order_id, account, amount_cents, currency: 'EUR' } };
  };

  describe('undo at a real counterpart', () => {
    test('a payment and a reservation are undone and confirmed, the same call runs again, and a second undo is refused', async () => {
      const { reserve, charge } = await order();
      const [reserved, paid] = [await call('ledger_reserve', reserve), await call('ledger_charge', charge)];
      expect([reserved, paid]).toMatchObject([{ output: { available: 8 } }, { output: { balance_cents: 70_000 } }]);
      for (const done of [reserved, paid]) {
        expect(await undo(done)).toMatchObject({ status: 200, body: { items: [{ undone: true, confirmed: true }] } });
        expect(await undo(done)).toMatchObject({ status: 409, body: { reason: 'call_already_undone' } });
      }
      expect([await at.ledger.available(reserve.sku), await at.ledger.balanceCents(charge.account)]).toEqual([10, 100_000]);
      const undone = (await at.agent.readCall(paid.call_id)).body as Undoable;
      expect(undone).toMatchObject({ status: 'compensated', compensated_by: expect.any(String) });
      expect(await call('ledger_charge', charge)).toMatchObject({ status: 'succeeded', attempts: 2, deduplicated: false });
      expect(await at.effectsOf(charge.order_id)).toEqual(['ledger_charge stands', 'ledger_charge undone', 'ledger_reserve undone']);
    });

    test('ten concurrent undos of a payment are one refund', async () => {
      const { charge } = await order();
      const paid = await call('ledger_charge', charge);
      const answers = await Promise.all(Array.from({ length: 10 }, () => undo(paid)));
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      expect(answers.some(({ body }) => body.items?.[0]?.undone)).toBe(true);
      expect([await at.ledger.balanceCents(charge.account), await at.effectsOf(charge.order_id)]).toEqual([
        100_000,
        ['ledger_charge undone'],
      ]);
      expect(await at.ledger.requests('ledger_charge', 'compensate', paid.idempotency_key)).toBe(1);
    });

    test('a later price blocks the undo of an earlier one until it is undone', async () => {
      const { reserve } = await order();
      const [first, second] = [
        await call('ledger_set_price', { sku: reserve.sku, price_cents: 2_000 }),
        await call('ledger_set_price', { sku: reserve.sku, price_cents: 3_000 }),
      ];
      expect(await undo(first)).toMatchObject({
        status: 409,
        body: { reason: 'later_effects', later_effects: [{ call_id: second.call_id }] },
      });
      for (const done of [second, first]) expect(await undo(done)).toMatchObject({ status: 200, body: { items: [{ undone: true }] } });
      expect(await at.ledger.rows('SELECT price_cents, priced_by FROM articles WHERE sku = $1', [reserve.sku])).toEqual([
        { price_cents: 1_000, priced_by: null },
      ]);
    });

    test('a price that somebody changed without the platform is kept: the undo fails without an effect', async () => {
      const { reserve } = await order();
      const priced = await call('ledger_set_price', { sku: reserve.sku, price_cents: 2_000 });
      await at.ledger.rows(`UPDATE articles SET price_cents = 5000, priced_by = 'a person' WHERE sku = $1`, [reserve.sku]);
      expect(await undo(priced)).toMatchObject({ body: { items: [{ undone: false, status: 'failed' }] } });
      expect(await at.ledger.rows('SELECT price_cents FROM articles WHERE sku = $1', [reserve.sku])).toEqual([{ price_cents: 5_000 }]);
      expect((await at.agent.readCall(priced.call_id)).body.status).toBe('compensation_failed');
    });

    test('a shipment and a mail are irreversible, and shipped goods are not put back into the stock', async () => {
      const { reserve } = await order();
      const reserved = await call('ledger_reserve', reserve);
      const reservation_id = (reserved.output as { reservation_id: string }).reservation_id;
      const shipped = await call('ledger_ship', { order_id: reserve.order_id, reservation_id, address: 'Ulm' });
      const mailed = await call('mail_send', { to: at.recipient().address, subject: 'Your order', text: '' });
      for (const done of [shipped, mailed]) expect(await undo(done)).toMatchObject({ status: 422, body: { reason: 'irreversible' } });
      expect(await undo(reserved)).toMatchObject({ body: { items: [{ undone: false, status: 'failed' }] } });
      expect([await at.ledger.available(reserve.sku), await at.effectsOf(reserve.order_id)]).toEqual([
        8,
        ['ledger_reserve stands', 'ledger_ship stands'],
      ]);
    });
  });

  describe('a lost answer at a real counterpart', () => {
    test('of a system that takes the key is sent again with that key: one payment', async () => {
      const { charge } = await order();
      await at.ledger.switchOn({ tool: 'ledger_charge', moment: 'after', fault: 'lose', inputs: { order_id: charge.order_id } });
      const paid = await call('ledger_charge', charge);
      expect(paid.status).toBe('succeeded');
      expect(await at.ledger.requests('ledger_charge', 'run', paid.idempotency_key)).toBe(2);
      await once('ledger_charge', paid);
    });

    test('of a system that can be asked is asked for, and not sent again: one shipment', async () => {
      const { reserve } = await order();
      const reservation_id = ((await call('ledger_reserve', reserve)).output as { reservation_id: string }).reservation_id;
      await at.ledger.switchOn({ tool: 'ledger_ship', moment: 'after', fault: 'lose', inputs: { order_id: reserve.order_id } });
      const shipped = await call('ledger_ship', { order_id: reserve.order_id, reservation_id, address: 'Ulm' });
      expect(shipped.status).toBe('succeeded');
      expect(await at.ledger.requests('ledger_ship', 'run', shipped.idempotency_key)).toBe(1);
      await once('ledger_ship', shipped);
    });

    test('of a mail server is a doubt, which a person ends: one mail', async () => {
      const recipient = at.recipient();
      const inputs = { to: recipient.address, subject: 'Your order', text: 'On its way' };
      await at.ledger.switchOn({ tool: 'mail_send', moment: 'after', fault: 'lose', inputs: { to: recipient.address } });
      const doubtful = await call('mail_send', inputs);
      expect(doubtful.status).toBe('in_doubt');
      expect(await call('mail_send', inputs)).toMatchObject({ status: 'in_doubt', deduplicated: true });
      const message_id = messageIdOf(doubtful.idempotency_key);
      expect(await recipient.messageIds()).toEqual([message_id]);
      const seen = { resolution: 'happened', output: { message_id, to: recipient.address }, reason: 'it is in the mailbox' };
      expect((await at.olga.request('POST', `/v1/calls/${doubtful.call_id}/resolve`, seen)).status).toBeLessThan(300);
      expect((await at.agent.callUntil(doubtful.call_id, ({ status }) => status !== 'in_doubt')).status).toBe('succeeded');
    });

    test('of an undo is settled by reading the effect back: one refund, never sent again', async () => {
      const { charge } = await order();
      const paid = await call('ledger_charge', charge);
      const inputs = { order_id: charge.order_id };
      await at.ledger.switchOn({ tool: 'ledger_charge', action: 'compensate', moment: 'after', fault: 'lose', inputs });
      expect(await undo(paid)).toMatchObject({ body: { items: [{ undone: true }] } });
      expect(await at.ledger.requests('ledger_charge', 'compensate', paid.idempotency_key)).toBe(1);
      expect([await at.ledger.balanceCents(charge.account), await at.effectsOf(charge.order_id)]).toEqual([
        100_000,
        ['ledger_charge undone'],
      ]);
    });

    test('is not forgotten where the next attempt is refused without an effect', async () => {
      const { charge } = await order();
      const inputs = { order_id: charge.order_id };
      await at.ledger.switchOn({ tool: 'ledger_charge', moment: 'after', fault: 'lose', inputs });
      await at.ledger.switchOn({ tool: 'ledger_charge', moment: 'before', fault: 'refuse', inputs, skip: 1 });
      const paid = await call('ledger_charge', charge);
      await once('ledger_charge', paid);
      expect(paid.status).not.toBe('failed');
    });
  });

  describe('a process of a tool that dies', () => {
    test('before its effect has none, and the call ends as it was', async () => {
      const { reserve } = await order();
      await at.ledger.switchOn({ tool: 'ledger_reserve', moment: 'before', fault: 'crash', inputs: { order_id: reserve.order_id } });
      const reserved = await call('ledger_reserve', reserve);
      expect(reserved).toMatchObject({ status: 'succeeded', output: { available: 8 } });
      await once('ledger_reserve', reserved);
    });

    test('after its effect leaves it, once: found by the key, by a question, or by a person', async () => {
      const { reserve, charge } = await order();
      const recipient = at.recipient();
      const { order_id } = reserve;
      for (const tool of ['ledger_charge', 'ledger_ship']) {
        await at.ledger.switchOn({ tool, moment: 'after', fault: 'crash', inputs: { order_id } });
      }
      await at.ledger.switchOn({ tool: 'mail_send', moment: 'after', fault: 'crash', inputs: { to: recipient.address } });
      const reservation_id = ((await call('ledger_reserve', reserve)).output as { reservation_id: string }).reservation_id;
      const paid = await call('ledger_charge', charge);
      const shipped = await call('ledger_ship', { order_id, reservation_id, address: 'Ulm' });
      const mailed = await call('mail_send', { to: recipient.address, subject: 'Your order', text: '' });
      expect([paid, shipped, mailed].map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'in_doubt']);
      expect(await at.effectsOf(order_id)).toEqual(['ledger_charge stands', 'ledger_reserve stands', 'ledger_ship stands']);
      expect(await recipient.messageIds()).toEqual([messageIdOf(mailed.idempotency_key)]);
    });

    test('during an undo leaves one refund', async () => {
      const { charge } = await order();
      const paid = await call('ledger_charge', charge);
      const inputs = { order_id: charge.order_id };
      await at.ledger.switchOn({ tool: 'ledger_charge', action: 'compensate', moment: 'after', fault: 'crash', inputs });
      await undo(paid);
      await at.agent.callUntil(paid.call_id, ({ status }) => status === 'compensated');
      expect([await at.ledger.balanceCents(charge.account), await at.effectsOf(charge.order_id)]).toEqual([
        100_000,
        ['ledger_charge undone'],
      ]);
    });
  });

  test('the definitions of the order sagas have no fault', async () => {
    for (const definition of orderSagas) {
      const { body } = await at.admin.request('POST', '/v1/saga-definitions:check', definition);
      expect(body).toMatchObject({ publishable: true, faults: [] });
      await at.publish(definition);
    }
  });
}
