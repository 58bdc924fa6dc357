import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KillablePlatform, type KillableService, killableDistributed, killableEmbedded } from './killable-platform.js';
import { describeOrderSagaJourneys } from './order-saga-journeys.js';
import { saveOrdersInStorm } from './order-saga-storm.js';
import { declinedOrderSaga, unattendedOrderSaga } from './order-sagas.js';
import { type Saga, SagaJourneyWorld } from './saga-world.js';

/** On a machine under load. */
const STORM_MS = 600_000;

/** Longer than all else that happens meanwhile, and shorter than the tools may take. */
const HELD_MS = 8_000;

/** Where a service dies: while this tool is between its effect and its answer. */
type Kill = [service: KillableService, tool: string, action: 'run' | 'compensate'];
const kills: Kill[] = [
  ['executor', 'ledger_charge', 'run'],
  ['executor', 'ledger_ship', 'run'],
  ['executor', 'ledger_reserve', 'compensate'],
];
/** On the embedded log these are the same process. */
const otherKills: Kill[] = [
  ['orchestrator', 'ledger_charge', 'run'],
  ['orchestrator', 'ledger_reserve', 'compensate'],
  ['gateway', 'ledger_reserve', 'run'],
  ['policy', 'ledger_reserve', 'run'],
  ['projector', 'ledger_ship', 'run'],
];

const undoOf = ({ steps }: Saga, step_id: string) => steps.find((step) => step.step_id === step_id)?.compensation;

describe.each([
  ['on the embedded log', killableEmbedded, kills, 'failed'],
  // Nobody knows that the killed executor is dead: its request may still arrive.
  ['on Kafka', killableDistributed, [...kills, ...otherKills], 'unconfirmed'],
])('sagas on rows of Postgres and on mail, %s', (_, start, allKills, undoStatus) => {
  const at = new SagaJourneyWorld();
  let killable: KillablePlatform;
  beforeAll(() =>
    at.open(async (env) => {
      killable = await start(env);
      return killable.platform;
    }),
  );
  afterAll(() => at.close());

  describeOrderSagaJourneys(at);

  test.each(allKills)('kill -9 of the %s while %s is in its %s: no step twice, none lost', async (service, tool, action) => {
    const inputs = await at.orderInputs();
    const { order_id } = inputs;
    const delay = { tool, action, moment: 'after', fault: 'delay', delay_ms: HELD_MS, inputs: { order_id } } as const;
    const hit = await at.ledger.switchOn(delay);
    const { name, version } = action === 'run' ? unattendedOrderSaga : declinedOrderSaga;
    const { body } = await at.startSaga({ definition: { name, version }, inputs });
    await at.ledger.untilTaken(hit);
    // It is undone beside the reservation: in the middle of its change, the kill would leave it in doubt.
    if (action === 'compensate') await at.sagaUntil(body.saga_id, (saga) => undoOf(saga, 'price')?.status === 'executed');
    await killable.kill(service);
    if (action === 'run') {
      await at.sagaIs(body.saga_id, 'completed');
      expect(await at.effectsOf(order_id)).toEqual(['ledger_charge stands', 'ledger_reserve stands', 'ledger_ship stands']);
    } else {
      await at.sagaIs(body.saga_id, 'compensated');
      expect([await at.effectsOf(order_id), await at.ledger.available(inputs.sku)]).toEqual([['ledger_reserve undone'], 10]);
    }
  });

  test('kill -9 of the executor before a price goes back: a person is told, and a retry undoes it', async () => {
    const inputs = await at.orderInputs();
    const { sku } = inputs;
    const back = { sku, price_cents: 1_000 };
    const hit = await at.ledger.switchOn({ tool: 'ledger_set_price', moment: 'before', fault: 'delay', delay_ms: HELD_MS, inputs: back });
    const { name, version } = declinedOrderSaga;
    const { saga_id } = (await at.startSaga({ definition: { name, version }, inputs })).body;
    await at.ledger.untilTaken(hit);
    await at.sagaUntil(saga_id, (saga) => undoOf(saga, 'reserve')?.status === 'executed');
    await killable.kill('executor');
    const stuck = await at.sagaUntil(saga_id, ({ status }) => status === 'compensation_failed');
    expect(stuck.tickets).toMatchObject([{ ticket: 'compensation_failed', step_id: 'price', closed_at: null }]);
    const { status, call_id } = undoOf(stuck, 'price') ?? {};
    expect(status).toBe(undoStatus);
    if (status === 'unconfirmed') {
      const seen = { resolution: 'did_not_happen', reason: 'seen in the ledger' };
      expect((await at.olga.request('POST', `/v1/calls/${call_id}/resolve`, seen)).status).toBeLessThan(300);
      await at.sagaUntil(saga_id, (saga) => undoOf(saga, 'price')?.status === 'failed');
    }
    expect((await at.control(saga_id, 'retry', { step_id: 'price' })).status).toBeLessThan(300);
    await at.sagaUntil(saga_id, (saga) => saga.status === 'compensated');
    expect(await at.ledger.rows('SELECT price_cents FROM articles WHERE sku = $1', [sku])).toEqual([{ price_cents: 1_000 }]);
    expect(await at.effectsOf(inputs.order_id)).toEqual(['ledger_reserve undone']);
  });

  test(
    'orders with faults at their tools, while orchestrator and executor are killed: each is complete or undone',
    async () => {
      const ends = await saveOrdersInStorm(at, killable, { count: 10, seed: 7, kills: ['orchestrator', 'executor'] });
      // Aborted: its first step was refused.
      expect(['aborted', 'compensated', 'completed']).toEqual(expect.arrayContaining(ends));
      expect(ends).toEqual(expect.arrayContaining(['completed', 'compensated']));
    },
    STORM_MS,
  );
});
