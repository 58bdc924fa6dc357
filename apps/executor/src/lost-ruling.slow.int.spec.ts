import { randomUUID } from 'node:crypto';
import { partitionOf } from '@countersign/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cutProgress } from './lane/cut-progress.js';
import { PARTITIONS } from './testing/played-policy.js';
import { Rig } from './testing/rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

const BEYOND_HEAD = 1000;

/** The state after a kill if the claim reached the database and the decision behind it was never synced. */
async function claimOfLostRuling(key: string, partition: number, source_offset: number): Promise<void> {
  await rig.store.query({
    text: `INSERT INTO executor_leases (epoch, instance_id, lane, lease_until_ms, fenced) VALUES (900, 'dead', 'shared', 0, true)
ON CONFLICT DO NOTHING`,
    params: [],
  });
  await rig.store.query({
    text: `INSERT INTO tool_executions (key, call_uuid, digest8, source_offset, epoch, attempt, partition, state, source_topic, tenant_id, lane)
VALUES ($1, $2, 0, $3, 900, 1, $4, 1, 0, 'default', 'shared')`,
    params: [key, randomUUID(), source_offset, partition],
  });
}

describe('a claim whose decision was lost with the process', () => {
  test.each([
    ['is free', false],
    ["is another call's now", true],
  ])('is removed where the place of the ruling %s: the key is executed once for the next call', async (_, taken) => {
    const before = await rig.start();
    const other = await rig.allow('blind_write', 'other');
    await rig.end(other);
    await before.close();
    let key = randomUUID();
    while (taken && partitionOf(key, PARTITIONS) !== other.meta.partition) key = randomUUID();
    const next = rig.ruling('blind_write', 'next', { key });
    const partition = next.meta.partition as number;
    await claimOfLostRuling(key, partition, taken ? 0 : BEYOND_HEAD);
    await rig.start();
    await rig.put('policy_decided', [next]);
    expect(await rig.end(next)).toMatchObject({ event_type: 'tool_executed', event: { outcome: { status: 'succeeded' } } });
    expect(rig.world.effects.map((effect) => effect.name)).toEqual(['other', 'next']);
  });

  test('progress that is ahead of the log makes no history of the decisions that replace the lost ones', async () => {
    await (await rig.start()).close();
    const after = rig.ruling('blind_write', 'after');
    for (const topic of ['policy-decided', 'approval-granted', 'tool-call-requested'])
      for (let partition = 0; partition < PARTITIONS; partition++)
        await rig.store.query({
          text: `INSERT INTO executor_progress (lane, partition, topic, history_below, ends_from) VALUES ('shared', $1, $2, 1000, 1000)
ON CONFLICT (lane, partition, topic) DO UPDATE SET history_below = 1000, ends_from = 1000`,
          params: [partition, topic],
        });
    await cutProgress(rig.log, rig.store, ['shared']);
    await rig.put('policy_decided', [after]); // the policy service decides before the executor has its partitions
    await rig.start();
    await rig.end(after);
    expect(rig.world.effects.map((effect) => effect.name)).toEqual(['after']);
  });
});
