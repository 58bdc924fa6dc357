import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KillablePlatform, type KillableService, killableDistributed, killableEmbedded } from './killable-platform.js';
import { describeOrderSagaJourneys } from './order-saga-journeys.js';
import { saveOrdersInStorm } from './order-saga-storm.js';
import { declinedOrderSaga, unattendedOrderSaga } from './order-sagas.js';
import { SagaJourneyWorld } from './saga-world.js';

/** On a machine under load. */
const STORM_MS = 600_000;

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

describe.each([
  ['on the embedded log', killableEmbedded, kills],
  ['on Kafka', killableDistributed, [...kills, ...otherKills]],
])('sagas on rows of Postgres and on mail, %s', (_, start, allKills) => {
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
    const delay = { tool, action, moment: 'after', fault: 'delay', delay_ms: 3_000, inputs: { order_id } } as const;
    const hit = await at.ledger.switchOn(delay);
    const { name, version } = action === 'run' ? unattendedOrderSaga : declinedOrderSaga;
    const { body } = await at.startSaga({ definition: { name, version }, inputs });
    await at.ledger.untilTaken(hit);
    await killable.kill(service);
    if (action === 'run') {
      await at.sagaIs(body.saga_id, 'completed');
      expect(await at.effectsOf(order_id)).toEqual(['ledger_charge stands', 'ledger_reserve stands', 'ledger_ship stands']);
    } else {
      await at.sagaIs(body.saga_id, 'compensated');
      expect([await at.effectsOf(order_id), await at.ledger.available(inputs.sku)]).toEqual([['ledger_reserve undone'], 10]);
    }
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
