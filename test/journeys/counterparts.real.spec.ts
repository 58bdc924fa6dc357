import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeCounterpartJourneys } from './counterpart-journeys.js';
import { type KillablePlatform, killableDistributed, killableEmbedded } from './killable-platform.js';
import { SagaJourneyWorld } from './saga-world.js';

describe.each([
  ['on the embedded log', killableEmbedded],
  ['on Kafka', killableDistributed],
])('tools on rows of Postgres and on mail, %s', (_, start) => {
  const at = new SagaJourneyWorld();
  let killable: KillablePlatform;
  beforeAll(() =>
    at.open(async (env) => {
      killable = await start(env);
      return killable.platform;
    }),
  );
  afterAll(() => at.close());

  describeCounterpartJourneys(at);

  test('kill -9 of the executor between the effect and the answer of a payment and of its undo: one payment, one refund', async () => {
    const { order_id, account, amount_cents } = await at.orderInputs();
    const delay = { tool: 'ledger_charge', moment: 'after', fault: 'delay', delay_ms: 8_000, inputs: { order_id } } as const;
    const running = await at.ledger.switchOn(delay);
    const inputs = { order_id, account, amount_cents, currency: 'EUR' };
    const { call_id } = (await at.agent.call({ tool: 'ledger_charge', inputs }, { prefer: 'wait=0' })).body;
    await at.ledger.untilTaken(running);
    await killable.kill('executor');
    await at.agent.callUntil(call_id, ({ status }) => status === 'succeeded', 90_000);
    expect(await at.effectsOf(order_id)).toEqual(['ledger_charge stands']);

    const undoing = await at.ledger.switchOn({ ...delay, action: 'compensate' });
    const url = `/v1/calls/${call_id}/undo`;
    const { preview_digest } = (await at.olga.request<{ preview_digest: string }>('GET', url)).body;
    const asked = at.olga.request('POST', url, { preview_digest }).catch(() => undefined);
    await at.ledger.untilTaken(undoing);
    await killable.kill('executor');
    await asked;
    await at.agent.callUntil(call_id, ({ status }) => status === 'compensated', 90_000);
    expect([await at.effectsOf(order_id), await at.ledger.balanceCents(account)]).toEqual([['ledger_charge undone'], 100_000]);
  });
});
