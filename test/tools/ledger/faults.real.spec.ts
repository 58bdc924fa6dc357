import { randomUUID } from 'node:crypto';
import type { RunContext, Tool } from '@countersign/tool-kit';
import { effectOf, testContext } from '@countersign/tool-kit/test-context';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { realDatabase } from '../real-parts.js';
import { charge } from './charge.js';
import { Ledger } from './ledger.js';
import { readStock } from './read-stock.js';
import { reserve } from './reserve.js';
import { setPrice } from './set-price.js';
import { ship } from './ship.js';

let ledger: Ledger;
beforeAll(async () => {
  ledger = await Ledger.open(realDatabase());
});
afterAll(() => ledger?.close());
beforeEach(async () => {
  await ledger.empty();
  await ledger.addArticle('chair', 10, 4_900, 'test');
  await ledger.addAccount('ann', 100_000, 'EUR', 'test');
});

const context = (more: Partial<RunContext> = {}) => testContext({ settings: ledger.settings, ...more });
const run = (tool: Tool, inputs: object, ctx: RunContext): Promise<unknown> => tool.run(inputs as never, ctx);
const undo = async (tool: Tool, inputs: object, ran: RunContext, output: unknown = null): Promise<unknown> =>
  tool.compensate?.(effectOf(tool, inputs, output, ran), context());
const order = { order_id: 'o-1', sku: 'chair', quantity: 2 };
const payment = { order_id: 'o-1', account: 'ann', amount_cents: 30_000, currency: 'EUR' };
const none = { more: { effect: 'none' } };
const open = { more: expect.not.objectContaining({ effect: 'none' }) };

describe('a switched fault', () => {
  test.each<[string, Tool, object]>([
    ['reserve', reserve, order],
    ['charge', charge, payment],
    ['set price', setPrice, { sku: 'chair', price_cents: 1 }],
  ])(
    'before the effect of %s: a refusal promises that nothing happened, a loss does not, and nothing happened',
    async (_, tool, inputs) => {
      for (const [fault, promise] of [
        ['refuse', none],
        ['lose', open],
      ] as const) {
        await ledger.switchOn({ tool: tool.contract.name, moment: 'before', fault });
        await expect(run(tool, inputs, context())).rejects.toMatchObject(promise);
      }
      expect(await ledger.effects('test')).toEqual([]);
      await run(tool, inputs, context());
      expect(await ledger.effects('test')).toMatchObject([{ tool: tool.contract.name, count: 1 }]);
    },
  );

  test('after the effect leaves the effect and no promise; the system of record has the answer', async () => {
    const ctx = context();
    await ledger.switchOn({ tool: 'ledger_reserve', moment: 'after', fault: 'lose' });
    await expect(run(reserve, order, ctx)).rejects.toMatchObject(open);
    expect(await reserve.reconcile?.(order as never, ctx)).toEqual({ kind: 'happened', output: await run(reserve, order, ctx) });
    expect(await ledger.available('chair', 'test')).toBe(8);
  });

  test('hits only calls with its inputs, and only as often as it says', async () => {
    await ledger.switchOn({ tool: 'ledger_reserve', moment: 'before', fault: 'refuse', inputs: { order_id: 'o-2' }, times: 2 });
    await run(reserve, order, context());
    const other = { ...order, order_id: 'o-2' };
    for (let n = 0; n < 2; n++) await expect(run(reserve, other, context())).rejects.toMatchObject(none);
    await run(reserve, other, context());
  });

  test('cannot refuse after the effect: that would be a lie', async () => {
    await expect(ledger.switchOn({ tool: 'ledger_reserve', moment: 'after', fault: 'refuse' })).rejects.toThrow(/check constraint/);
  });

  test('of an undo or of a question is separate from one of a run', async () => {
    const ctx = context();
    await ledger.switchOn({ tool: 'ledger_reserve', action: 'compensate', moment: 'before', fault: 'refuse' });
    await ledger.switchOn({ tool: 'ledger_reserve', action: 'verify', moment: 'before', fault: 'lose' });
    await run(reserve, order, ctx);
    await expect(undo(reserve, order, ctx)).rejects.toMatchObject(none);
    await expect(reserve.verify?.(order as never, null as never, ctx)).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
    await undo(reserve, order, ctx);
    expect(await ledger.effects('test')).toMatchObject([{ count: 1, undone_by: expect.any(String) }]);
  });
});

describe('a key', () => {
  test('is one effect under 20 concurrent runs, which all get one answer', async () => {
    const ctx = context();
    const answers = await Promise.all(Array.from({ length: 20 }, () => run(charge, payment, { ...ctx, call_id: `0-${randomUUID()}` })));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect([await ledger.effects('test'), await ledger.faults('test')]).toMatchObject([[{ count: 1 }], []]);
    expect(await ledger.requests('ledger_charge', 'run', ctx.idempotency_key, 'test')).toBe(20);
  });

  test('with other inputs is refused, without a promise about the effect that it has', async () => {
    const ctx = context();
    await run(charge, payment, ctx);
    await expect(run(charge, { ...payment, amount_cents: 1 }, ctx)).rejects.toMatchObject(open);
    expect(await ledger.balanceCents('ann', 'test')).toBe(70_000);
  });

  test('that was undone has no effect again: a late repeat is refused', async () => {
    const ctx = context();
    const wanted: [Tool, object][] = [
      [reserve, order],
      [charge, payment],
      [setPrice, { sku: 'chair', price_cents: 1 }],
    ];
    for (const [tool, inputs] of wanted) {
      await run(tool, inputs, ctx);
      await undo(tool, inputs, ctx);
      await expect(run(tool, inputs, ctx)).rejects.toMatchObject(none);
    }
    expect(await ledger.faults('test')).toEqual([]);
  });

  test('sent twice to the carrier is two shipments, which the count shows', async () => {
    const reserved = context();
    await run(reserve, order, reserved);
    const shipment = { order_id: 'o-1', reservation_id: reserved.idempotency_key, address: 'Ulm' };
    const ctx = context();
    await run(ship, shipment, ctx);
    expect(await ledger.faults('test')).toEqual([]);
    await run(ship, shipment, ctx);
    expect(await ledger.faults('test')).toEqual([`ledger_ship ${ctx.idempotency_key} happened 2 times`]);
  });

  test('whose run is in progress cannot be asked about, and its undo waits for the run', async () => {
    const ctx = context();
    const switched = await ledger.switchOn({ tool: 'ledger_reserve', moment: 'before', fault: 'delay', delay_ms: 1_000 });
    const running = run(reserve, order, ctx);
    await ledger.untilTaken(switched);
    expect(await reserve.reconcile?.(order as never, ctx)).toMatchObject({ kind: 'cannot_tell' });
    await undo(reserve, order, ctx);
    await running;
    expect([await ledger.available('chair', 'test'), await ledger.faults('test')]).toEqual([10, []]);
  });

  test('that waits in vain for an earlier run of it promises nothing', async () => {
    const ctx = context();
    const switched = await ledger.switchOn({ tool: 'ledger_reserve', moment: 'before', fault: 'delay', delay_ms: 2_000 });
    const running = run(reserve, order, ctx);
    await ledger.untilTaken(switched);
    await expect(run(reserve, order, { ...ctx, deadline_ms: Date.now() + 300 })).rejects.toMatchObject(open);
    await running;
  });
});

describe('an undo', () => {
  test('twenty at once are one refund', async () => {
    const ctx = context();
    await run(charge, payment, ctx);
    await Promise.all(Array.from({ length: 20 }, () => undo(charge, payment, ctx)));
    expect([await ledger.balanceCents('ann', 'test'), await ledger.faults('test')]).toEqual([100_000, []]);
    expect(await ledger.rows('SELECT payment_key, amount_cents, currency FROM refunds')).toEqual([
      { payment_key: ctx.idempotency_key, amount_cents: 30_000, currency: 'EUR' },
    ]);
  });

  test('of a reservation whose goods were shipped, or of a price that somebody changed to the same number, is refused', async () => {
    const [reserved, priced] = [context(), context()];
    await run(reserve, order, reserved);
    await run(ship, { order_id: 'o-1', reservation_id: reserved.idempotency_key, address: 'Ulm' }, context());
    await expect(undo(reserve, order, reserved)).rejects.toMatchObject(none);
    const price = { sku: 'chair', price_cents: 5_000 };
    await run(setPrice, price, priced);
    await run(setPrice, price, context());
    await expect(undo(setPrice, price, priced)).rejects.toMatchObject(none);
    expect(await ledger.faults('test')).toEqual([]);
  });

  test('and a shipment at once: the goods are shipped or released, never both', async () => {
    for (let round = 0; round < 10; round++) {
      const reserved = context();
      const inputs = { ...order, quantity: 1 };
      await run(reserve, inputs, reserved);
      const shipment = { order_id: 'o-1', reservation_id: reserved.idempotency_key, address: 'Ulm' };
      const ends = await Promise.allSettled([undo(reserve, inputs, reserved), run(ship, shipment, context())]);
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    }
    expect(await ledger.faults('test')).toEqual([]);
  });
});

test('an abort during a delay has no effect, and says so', async () => {
  const stop = new AbortController();
  const switched = await ledger.switchOn({ tool: 'ledger_charge', moment: 'before', fault: 'delay', delay_ms: 20_000 });
  const running = run(charge, payment, context({ signal: stop.signal }));
  const ended = expect(running).rejects.toMatchObject({ code: 'TIMEOUT', ...none });
  await ledger.untilTaken(switched);
  stop.abort();
  await ended;
  expect(await ledger.effects('test')).toEqual([]);
});

test('a tenant sees and changes only its own rows, whatever key it names', async () => {
  const ctx = context();
  await run(reserve, order, ctx);
  const stranger = context({ tenant_id: 'other', idempotency_key: ctx.idempotency_key });
  await expect(run(readStock, { sku: 'chair' }, stranger)).rejects.toMatchObject({ more: { class: 'not_found' } });
  await expect(run(ship, { order_id: 'o-1', reservation_id: ctx.idempotency_key, address: 'Ulm' }, stranger)).rejects.toMatchObject(none);
  await expect(reserve.compensate?.(effectOf(reserve, order, null, ctx), stranger)).rejects.toMatchObject(none);
  expect([await ledger.effects('other'), await ledger.available('chair', 'test')]).toEqual([[], 8]);
});
