import { evolve, type PlacedEvent, trustObservations } from '@countersign/domain';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ended, Rig } from './testing/rig.js';

const READS = 20;

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
  await rig.start();
});
afterEach(() => rig.close());

type Ruling = ReturnType<Rig['ruling']>;

/** What the trust score counts for a call, from its decision and its end. */
function counted(ruling: Ruling, ended: Ended, more: object = {}) {
  const outcome = { ...ended.event.outcome, ...more };
  const at = { topic: 'policy-decided', partition: 0, offset: 0, timestamp_ms: 1 };
  const ruled = evolve(undefined, { event_type: 'policy_decided', event: ruling, ...at } as PlacedEvent);
  const end = { ...ended, event: { ...ended.event, outcome }, timestamp_ms: 2 } as PlacedEvent;
  return trustObservations(ruled, evolve(ruled, end), 'approval-granted').map((one) => (one.fact === 'run' ? one.counts.runs : 0));
}

test('every read that ran and failed counts as a run, however fast the machine is', async () => {
  const rulings = Array.from({ length: READS }, (_, n) => rig.ruling('test_read', `r${n}`, { act: 'wrong_shape' }));
  await rig.put('policy_decided', rulings);
  for (const ruling of rulings) {
    const ended = await rig.end(ruling);
    expect(ended.event.outcome).toMatchObject({ status: 'failed', error: { code: 'VALIDATION_ERROR' }, extras: { ran: true } });
    for (const duration_ms of [0, 1, 5]) expect(counted(ruling, ended, { duration_ms })).toEqual([1]);
  }
});

test('a read that was refused before it ran does not count, however long that took', async () => {
  const refused = rig.ruling('test_read', 'a');
  await rig.put('policy_decided', [{ ...refused, call: { ...refused.call, inputs_json: '{"name":1}' } }]);
  const ended = await rig.end(refused);
  expect(ended.event.outcome).toMatchObject({ status: 'failed', error: { code: 'VALIDATION_ERROR' }, extras: { ran: false } });
  for (const duration_ms of [0, 1, 5]) expect(counted(refused, ended, { duration_ms })).toEqual([]);
});

test('for a record that does not state whether the read ran, its duration decides, as before', async () => {
  const ruling = rig.ruling('test_read', 'a', { act: 'wrong_shape' });
  await rig.put('policy_decided', [ruling]);
  const ended = await rig.end(ruling);
  expect(counted(ruling, ended, { extras: null, duration_ms: 0 })).toEqual([]);
  expect(counted(ruling, ended, { extras: null, duration_ms: 1 })).toEqual([1]);
});
