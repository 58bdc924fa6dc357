import { canonicalText, type EventMap, type MappedInputs, sha256Hex } from '@countersign/contracts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Rig } from './testing/rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

const by = { kind: 'user' as const, id: 'root', roles: ['admin'] };

/** Maps the name `other` to `imp`. In force for a long time. */
async function publish(tool: string, version = 1): Promise<void> {
  const definition_json = JSON.stringify({
    mode: 'permissive',
    inputs: [{ from: '/name', to: '/name', lookup: 'names' }],
    tables: { names: { other: 'imp' } },
  });
  const set = { tool, version, definition_json, rolled_back_to: null, by, changed_at_ms: 1, needs_activation: false };
  await rig.put('mapping_set', [{ meta: { ...rig.meta('0-mapping', 'default'), call_id: null, partition: 0 }, ...set }]);
}

function mappedTo(name: string, mapping_version = 1): MappedInputs {
  const inputs_json = canonicalText({ name });
  return { inputs_json, inputs_digest: sha256Hex(inputs_json), mapping_version, permissive: true, warnings: [] };
}

const typesOf = async ({ meta }: EventMap['policy_decided']) =>
  (await rig.eventsOf(meta.call_id as string)).map(({ event_type }) => event_type);

test('a call runs with its recorded mapped form, and its result names the version', async () => {
  await publish('blind_write');
  await rig.start();
  const ruling = await rig.allow('blind_write', 'other', { call: { mapped: mappedTo('imp') } });
  expect(await rig.end(ruling)).toMatchObject({ event: { outcome: { status: 'succeeded', extras: { mapping_version: 1 } } } });
  expect(rig.world.effects.map(({ name }) => name)).toEqual(['imp']);
});

test('a call whose mapped inputs have no decision does not run: policy decides again', async () => {
  await publish('blind_write');
  await rig.start();
  const ruling = await rig.allow('blind_write', 'other');
  await rig.until(async () => (await typesOf(ruling)).length > 0);
  const [recorded] = await rig.eventsOf(ruling.meta.call_id as string);
  expect(recorded).toMatchObject({ event_type: 'tool_call_rejudged', event: { rule: 'mapping.not_judged', tier: 'tier_3_blocked' } });
  const before = await rig.allow('blind_write', 'free', { call: { requested_at_ms: 0 } });
  expect(await rig.end(before)).toMatchObject({ event: { outcome: { status: 'succeeded' } } });
  expect(rig.world.effects.map(({ name }) => name)).toEqual(['free']);
});

test('the same applies to a read', async () => {
  await publish('test_read');
  await rig.start();
  const ruling = await rig.allow('test_read', 'other');
  await rig.until(async () => (await typesOf(ruling)).includes('tool_call_rejudged'));
  expect(rig.world.reads).toEqual([]);
});

test('a mapping version that this executor does not know yet delays the run', async () => {
  await rig.start();
  const ruling = await rig.allow('blind_write', 'other', { call: { mapped: mappedTo('imp', 7) } });
  const end = await rig.end(ruling);
  expect(end).toMatchObject({ event: { outcome: { status: 'failed', effect: 'none' } } });
  expect(rig.world.effects).toEqual([]);
});

test('a lost response is reconciled with the mapped form', async () => {
  await publish('asked_write');
  await rig.start();
  const ruling = await rig.allow('asked_write', 'other', {
    act: 'lose_answer',
    call: { mapped: { ...mappedTo('imp'), inputs_json: canonicalText({ name: 'imp', act: 'lose_answer' }) } },
  });
  expect(await rig.end(ruling)).toMatchObject({ event: { outcome: { status: 'succeeded', extras: { mapping_version: 1 } } } });
  expect(rig.world.effects.map(({ name }) => name)).toEqual(['imp']);
});
