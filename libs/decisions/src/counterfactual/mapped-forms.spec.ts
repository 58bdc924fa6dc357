import type { MappedInputs } from '@countersign/contracts';
import { expect, test } from 'vitest';
import { answerTo, of } from '../testing/answer-to.js';
import { LivedWorld } from '../testing/lived-world.js';
import type { Change } from './change.js';

const START_MS = Date.parse('2026-11-01T00:00Z');

const mapped = (value: object): MappedInputs => ({
  inputs_json: JSON.stringify(value),
  inputs_digest: 'd',
  mapping_version: 1,
  permissive: false,
  warnings: [],
});

const policy = (rules: object[]): Change => ({
  kind: 'policy',
  bundle: { version: 'w', bundle_json: JSON.stringify({ rules }), digest: JSON.stringify(rules) },
});
const lower = { id: 'cap', tools: {}, effect: 'allow', obligations: [{ cap: { path: '/total', max: 5, otherwise: 'lower' } }] };

/** One payment that a mapping renames and converts to cents, as it was admitted and allowed. */
function lived() {
  const world = new LivedWorld(START_MS);
  world.tool('pay', 'stage');
  world.policy('v1', [{ id: 'go', tools: {}, effect: 'allow' }]);
  const call_id = world.request('pay', { to: 'other', total: 7 }, { mapped: mapped({ cents: 700, to: 'imp' }) });
  world.until(START_MS + 3_600_000);
  return { world, call_id };
}

test('another policy judges the recorded mapped form', () => {
  const { world, call_id } = lived();
  expect(of(answerTo(world, []), call_id)).toMatchObject({ unknown: [], differences: [], counterfactual: { effect: 'allow' } });
  const denies = answerTo(world, [policy([{ id: 'imp', tools: {}, effect: 'deny', when: 'mapped.to == "imp" && inputs.to == "other"' }])]);
  expect(of(denies, call_id)).toMatchObject({ unknown: [], counterfactual: { effect: 'deny', rule: 'imp' } });
});

test('the mapped form of inputs that a cap lowers is unknown, and the answer says so', () => {
  const { world, call_id } = lived();
  expect(of(answerTo(world, [policy([lower])]), call_id).unknown).toMatchObject([
    { what: 'ruling', why: expect.stringContaining('the mapped form of the lowered inputs is not on record') },
  ]);
});
