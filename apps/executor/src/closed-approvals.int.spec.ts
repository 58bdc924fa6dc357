import { setTimeout as sleep } from 'node:timers/promises';
import { type EventMap, uuidv7 } from '@countersign/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Rig } from './testing/rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

const by = { kind: 'user' as const, id: 'ann', roles: ['approver'] };
const source = { topic: 'approval-voted', offset: 0 };
const QUIET_MS = 700;

const ends = {
  denied: (decision: EventMap['policy_decided'], approval_id: string) =>
    rig.put('approval_denied', [{ meta: after(decision), approval_id, revision: 1, reason: 'no', by, source, call: decision.call }]),
  expired: (decision: EventMap['policy_decided'], approval_id: string) =>
    rig.put('approval_expired', [{ meta: after(decision), approval_id, revision: 1, expired_at_ms: Date.now(), call: decision.call }]),
  cancelled: (decision: EventMap['policy_decided']) =>
    rig.put('call_cancelled', [
      { meta: after(decision), revision: 1, reason: null, by, final: true, source, call: decision.call, only_before_fire: false },
    ]),
};
const after = ({ meta }: EventMap['policy_decided']) => ({ ...meta, event_id: uuidv7(Date.now()) });

/** A call that waited for approval and then ended without it; the policy service made its approval id. */
async function ended(how: keyof typeof ends, name: string) {
  const decision = rig.ruling('blind_write', name);
  const approval_id = `${decision.meta.call_id}.1`;
  await ends[how](decision, approval_id);
  return { decision: decision, approval_id, grant: rig.grant(decision, ['ann'], { approval_id }) };
}

/** This write runs after the closing was read, so everything before it is handled and folded. */
async function settled(name: string) {
  await rig.end(await rig.allow('blind_write', name));
  await sleep(QUIET_MS);
}

const fired = () => rig.world.effects.map((effect) => effect.name).filter((name) => !name.startsWith('mark'));

describe('a grant that was wrongly written after its approval had ended', () => {
  test.each(Object.keys(ends) as (keyof typeof ends)[])('does not run after a restart: %s', async (how) => {
    const first = await rig.start();
    const { grant, decision } = await ended(how, 'late');
    await settled('mark 1');
    await first.close();
    await rig.start();
    await rig.put('approval_granted', [grant]);
    await settled('mark 2');
    expect(fired()).toEqual([]);
    expect(await rig.eventsOf(decision.meta.call_id as string)).toEqual([]);
  });

  test('is neither answered by the holder of its key nor refused: its own end stays', async () => {
    const first = await rig.start();
    const held = await rig.allow('blind_write', 'held');
    await rig.end(held);
    const { idempotency_key, discriminating_digest } = held.call;
    const same = { idempotency_key, discriminating_digest };
    const later = { ...same, window_ms: 1, requested_at_ms: Date.now() + 60_000 };
    const wrongly = async (call: Partial<EventMap['policy_decided']['call']>, over: Partial<EventMap['approval_granted']> = {}) => {
      const decision = rig.ruling('blind_write', 'held', { call });
      const approval_id = `${decision.meta.call_id}.1`;
      await ends.denied(decision, approval_id);
      return { decision: decision, grant: rig.grant(decision, ['ann'], { approval_id, ...over }) };
    };
    const all = [
      await wrongly(same),
      await wrongly({ ...same, discriminating_digest: 'other' }),
      await wrongly(later),
      await wrongly(later, { execute_before_ms: Date.now() - 1000 }),
      await wrongly({ ...later, deadline_ms: Date.now() - 1000 }),
    ];
    await settled('mark 1');
    await first.close();
    await rig.start();
    await rig.put(
      'approval_granted',
      all.map(({ grant }) => grant),
    );
    await settled('mark 2');
    for (const { decision } of all) expect(await rig.eventsOf(decision.meta.call_id as string)).toEqual([]);
    expect(fired()).toEqual(['held']);
  });

  test('runs if its tombstone is deleted: the tombstone is what prevents it', async () => {
    const first = await rig.start();
    const { grant, decision, approval_id } = await ended('denied', 'late');
    await settled('mark 1');
    await first.close();
    const deleted = await rig.store.query({
      text: 'DELETE FROM approval_uses WHERE approval_id = $1 RETURNING 1 AS one',
      params: [approval_id],
    });
    expect(deleted).toHaveLength(1);
    await rig.start();
    await rig.put('approval_granted', [grant]);
    await rig.end(decision);
    expect(fired()).toEqual(['late']);
  });

  test('does not run after the database was restored from the log', async () => {
    const first = await rig.start();
    const all = [await ended('denied', 'a'), await ended('expired', 'b'), await ended('cancelled', 'c')];
    await settled('mark 1');
    await first.close();
    await rig.loseDatabase();
    await rig.start();
    await rig.put(
      'approval_granted',
      all.map(({ grant }) => grant),
    );
    await settled('mark 2');
    expect(fired()).toEqual([]);
    const rows = await rig.store.query({ text: 'SELECT approval_id FROM approval_uses', params: [] });
    expect(rows).toHaveLength(3);
  });
});

test('after a restored database a used approval stays used: no other call gets it', async () => {
  const first = await rig.start();
  const decision = rig.ruling('blind_write', 'once');
  const grant = rig.grant(decision, ['ann'], { approval_id: `${decision.meta.call_id}.1` });
  await rig.put('approval_granted', [grant]);
  await rig.end(decision);
  await first.close();
  await rig.loseDatabase();
  await rig.start();
  const other = rig.ruling('blind_write', 'twice', { call: {} });
  await rig.put('approval_granted', [rig.grant(other, ['ann'], { approval_id: grant.approval_id })]);
  expect(await rig.end(other)).toMatchObject({ event: { outcome: { status: 'failed', error: { code: 'POLICY_DENIED' } } } });
  expect(fired()).toEqual(['once']);
});

test('calls without an approval request write no tombstone', async () => {
  await rig.start();
  await settled('mark');
  expect(await rig.store.query({ text: 'SELECT approval_id FROM approval_uses', params: [] })).toEqual([]);
});
