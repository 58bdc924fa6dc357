import { randomUUID } from 'node:crypto';
import type { EventMap } from '@countersign/contracts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Rig } from './testing/rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

const digest = 'ab'.repeat(32);

/** A grant of edited inputs with this key of their own. */
function edited(name: string, key: string): EventMap['approval_granted'] {
  const decision = rig.ruling('blind_write', name);
  return rig.grant(decision, ['ann'], { also: { idempotency_key: key, discriminating_digest: digest, attempt: 0 } });
}

const states = async (key: string) =>
  (
    await rig.store.query<{ attempt: number; state: number }>({
      text: 'SELECT attempt, state FROM tool_executions WHERE key = $1 ORDER BY attempt',
      params: [key],
    })
  ).map(({ attempt, state }) => [attempt, state]);

test('both keys are claimed together, end together, and answer later calls of either', async () => {
  await rig.start();
  const key = randomUUID();
  const grant = edited('a', key);
  await rig.put('approval_granted', [grant]);
  const end = await rig.end({ meta: grant.meta } as EventMap['policy_decided']);
  expect(end).toMatchObject({ event: { outcome: { status: 'succeeded' }, also: { idempotency_key: key, attempt: 1 } } });
  await rig.until(async () => JSON.stringify([await states(key), await states(grant.call.idempotency_key)]) === '[[[1,2]],[[1,2]]]');
  const direct = await rig.allow('blind_write', 'b', { key, call: { discriminating_digest: digest } });
  expect(await rig.end(direct)).toMatchObject({ event_type: 'tool_retry_deduplicated' });
  expect(rig.world.effects).toHaveLength(1);
});

test('if the edited inputs describe the effect of another call, nothing runs and the own key stays free', async () => {
  await rig.start();
  const key = randomUUID();
  await rig.end(await rig.allow('blind_write', 'there', { key, call: { discriminating_digest: digest } }));
  const grant = edited('a', key);
  await rig.put('approval_granted', [grant]);
  const end = await rig.end({ meta: grant.meta } as EventMap['policy_decided']);
  expect(end.event.outcome).toMatchObject({
    status: 'failed',
    effect: 'none',
    error: { details_json: '{"reason":"edited_effect_taken"}' },
  });
  expect(await states(grant.call.idempotency_key)).toEqual([]);
  expect(rig.world.effects.map((effect) => effect.name)).toEqual(['there']);
});

test('a released second key gets its next attempt', async () => {
  await rig.start();
  const key = randomUUID();
  await rig.end(await rig.allow('blind_write', 'refused', { key, act: 'refuse', call: { discriminating_digest: digest } }));
  await rig.until(async () => JSON.stringify(await states(key)) === '[[1,5]]');
  const grant = edited('a', key);
  await rig.put('approval_granted', [grant]);
  expect(await rig.end({ meta: grant.meta } as EventMap['policy_decided'])).toMatchObject({ event: { also: { attempt: 2 } } });
});

test('after a restored database both keys still hold the effect', async () => {
  const first = await rig.start();
  const key = randomUUID();
  const grant = edited('a', key);
  await rig.put('approval_granted', [grant]);
  await rig.end({ meta: grant.meta } as EventMap['policy_decided']);
  await first.close();
  await rig.loseDatabase();
  await rig.start();
  const direct = await rig.allow('blind_write', 'b', { key, call: { discriminating_digest: digest } });
  expect(await rig.end(direct)).toMatchObject({ event_type: 'tool_retry_deduplicated' });
  expect(rig.world.effects).toHaveLength(1);
});
