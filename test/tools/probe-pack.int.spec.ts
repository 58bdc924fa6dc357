import { pack } from '@countersign/pack-probe';
import type { Tool } from '@countersign/tool-kit';
import { contractTests } from '@countersign/tool-kit/contract-tests';
import { testContext } from '@countersign/tool-kit/test-context';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Counterparty } from './counterparty/counterparty.js';
import { counterpartyWorld } from './counterparty/counterparty-world.js';

let counterparty: Counterparty;
beforeAll(async () => {
  counterparty = await Counterparty.start();
});
afterAll(() => counterparty.stop());

const settings = () => ({ COUNTERSIGN_PROBE_URL: counterparty.url });
const context = () => testContext({ settings: settings() });
const common = 'the counterparty has no tenants: it tells effects apart by their keys alone, which are derived for each tenant';
const input = { account: 'acct-1', amount: 12, note: 'twice charged' };
const tool = (name: string): Tool => pack.tools.find(({ contract }) => contract.name === name) as Tool;
const swift = { delay_ms: 0, answer_delay_ms: 0 };

for (const name of ['probe_approval', 'probe_http_blind', 'probe_http_effect', 'probe_http_keyed']) {
  contractTests(tool(name), {
    golden: [{ title: 'a payment', input }],
    counterpart: counterpartyWorld(),
    volatile: [/"seq":\d+/g],
    generated: (inputs) => inputs.map((generated) => ({ ...(generated as object), ...swift })),
    slow: { ...input, answer_delay_ms: 5_000 },
    states: [{ title: 'one payment sent twice', a: input, b: input }],
  });
}
contractTests(tool('probe_read'), {
  golden: [{ title: 'the counts', input: {} }],
  counterpart: { common, settings, snapshot: () => counterparty.stats() },
  generated_runs: 2,
});

describe('an answer that is lost', () => {
  test('is a network error with unknown effect; the key then tells that it happened, with the same result', async () => {
    const ctx = context();
    const failing = tool('probe_http_effect').run({ ...input, lose_answer: true } as never, ctx);
    await expect(failing).rejects.toMatchObject({ code: 'NETWORK_ERROR', more: expect.not.objectContaining({ effect: 'none' }) });
    const [effect] = await counterparty.effectsOf(ctx.idempotency_key);
    expect(await tool('probe_http_effect').reconcile?.(input as never, ctx)).toEqual({
      kind: 'happened',
      output: { ok: true, seq: effect?.seq, key: ctx.idempotency_key, amount: 12 },
    });
  });

  test('of a keyed effect is found by sending it again: still one effect', async () => {
    const ctx = context();
    const order = { ...input, lose_answer: true } as never;
    await expect(tool('probe_http_keyed').run(order, ctx)).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
    const output = await tool('probe_http_keyed').run(order, ctx);
    expect(await counterparty.effectsOf(ctx.idempotency_key)).toMatchObject([{ seq: (output as { seq: number }).seq }]);
  });

  test('of a blind effect leaves nothing to ask with', () => {
    expect(tool('probe_http_blind').contract).toMatchObject({ takes_key: false, has_reconcile: false });
  });
});

test('a request that never arrived did not happen', async () => {
  const ctx = context();
  await expect(tool('probe_http_effect').run({ ...input, lose_request: true } as never, ctx)).rejects.toMatchObject({
    code: 'NETWORK_ERROR',
  });
  expect(await tool('probe_http_effect').reconcile?.(input as never, ctx)).toEqual({ kind: 'did_not_happen' });
});

test('a counterparty that is not there, or not set, has had no effect', async () => {
  const stopped = await Counterparty.start();
  await stopped.stop();
  for (const url of [stopped.url, '']) {
    const ctx = testContext({ settings: { COUNTERSIGN_PROBE_URL: url } });
    await expect(tool('probe_http_effect').run(input as never, ctx)).rejects.toMatchObject({ more: { effect: 'none' } });
  }
});

test('a probe that waits for approval is commit_high, the others are not', () => {
  const high = pack.tools.filter(({ contract }) => contract.effect_class === 'commit_high').map(({ contract }) => contract.name);
  expect(high).toEqual(['probe_approval']);
});
