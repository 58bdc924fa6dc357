import { contractTests } from '@countersign/tool-kit/contract-tests';
import { testContext } from '@countersign/tool-kit/test-context';
import { expect, test } from 'vitest';
import { effectCounter } from './effect-counter.js';
import { probeEffect } from './probe-effect.js';

const input = { account: 'acct-1', amount: 12, note: 'twice charged' };

// It numbers effects for the whole process, as intended.
contractTests(probeEffect, { golden: [{ title: 'a payment', input }], volatile: [/"seq":\d+/g] });

test('each run is counted and returns its number and key, in about 200 bytes', async () => {
  const before = effectCounter.count;
  const output = await probeEffect.run(input as never, testContext({ idempotency_key: 'k' }));
  expect(output).toMatchObject({ ok: true, seq: before + 1, key: 'k', amount: 12 });
  expect(effectCounter.count).toBe(before + 1);
  expect(JSON.stringify(output).length).toBeGreaterThan(150);
  expect(JSON.stringify(output).length).toBeLessThan(250);
});
