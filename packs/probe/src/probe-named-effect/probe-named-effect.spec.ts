import { contractTests } from '@countersign/tool-kit/contract-tests';
import { expect, test } from 'vitest';
import { effectCounter } from '../probe-effect/effect-counter.js';
import { probeEffect } from '../probe-effect/probe-effect.js';
import { probeNamedEffect } from './probe-named-effect.js';

const input = { account: 'acct-1', amount: 12, note: 'twice charged' };
let before = 0;

contractTests(probeNamedEffect, {
  golden: [{ title: 'a payment', input }],
  counterpart: {
    common: 'it counts the effects of the whole process',
    prepare: async () => {
      before = effectCounter.count;
    },
    snapshot: async () => effectCounter.count - before,
  },
  states: [{ title: 'one payment sent twice', a: input, b: input }],
  volatile: [/"seq":\d+/g, /"key":"[^"]+"/g],
});

test('it differs from probe_effect in its resources', () => {
  expect(probeNamedEffect.contract.resources).toEqual([{ name: 'account:{/account}', effect: 'adds' }]);
  const words = { name: '', title: '', description: '', resources: undefined };
  expect({ ...probeNamedEffect.contract, ...words }).toEqual({ ...probeEffect.contract, ...words });
  expect(probeEffect.contract).not.toHaveProperty('resources');
});
