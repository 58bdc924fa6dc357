import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { progressStatement } from '../progress/executor-progress.js';
import { askForScrub, keepScrub, openScrub, readScrub } from '../progress/scrub-runs.js';
import type { Store } from '../store.js';
import { claimOf, leaseOf } from './arbiter.suite.js';
import { executionsAfter, readCheckedExecutions } from './checked-executions.js';
import { claim } from './claim.js';

/** How rows are read for comparison with the log, on every adapter of the Store. */
export function describeCheckedRows(store: () => Store): void {
  test('arbiter rows are read with their leases, resource generations and the offset up to which ends are folded', async () => {
    const lane = randomUUID();
    const epoch = await leaseOf(store(), lane);
    const [first, second] = [claimOf({ partition: 2 }), claimOf({ partition: 2 })];
    await claim(store(), epoch, [first, second]);
    const resource = randomUUID();
    await store().query({ text: 'INSERT INTO resource_generations (resource, at_any, in_any) VALUES ($1, 5, 7)', params: [resource] });
    const keys = { lane, partition: 2, attempts: [first], epochs: [epoch + 1_000], resources: [resource, randomUUID()] };
    const before = await readCheckedExecutions(store(), keys);
    expect(before).toMatchObject({
      ends_from: null,
      rows: [{ key: first.key, attempt: 1, call_uuid: first.call_uuid, epoch, state: 1, lane }],
    });
    expect(before.leases).toEqual([{ epoch, fenced: false, drained: false }]);
    expect(before.generations).toEqual([{ resource, at_any: 5, in_any: 7 }]);
    await store().query(progressStatement([{ lane, partition: 2, topic: 'policy-decided', history_below: 0, ends_from: 2 ** 40 }]));
    expect(await readCheckedExecutions(store(), { ...keys, attempts: [] })).toMatchObject({ ends_from: 2 ** 40, rows: [], leases: [] });
    const all = await executionsAfter(store(), { lane, partition: 2 }, { key: '00000000-0000-0000-0000-000000000000', attempt: 0 }, 10);
    expect(all.map(({ key }) => key)).toEqual([first.key, second.key].sort());
    expect(await executionsAfter(store(), { lane, partition: 2 }, all[0] as (typeof all)[0], 10)).toHaveLength(1);
  });

  test('requested comparisons run one at a time, cover all rows if one request wants that, and are kept for a week', async () => {
    const ask = (views: boolean, asked_at_ms: number) => askForScrub(store(), { run_id: randomUUID(), views, asked_at_ms });
    const log = await ask(false, 1_000);
    expect((await ask(false, 2_000)).run_id).toBe(log.run_id);
    const rows = await ask(true, 3_000);
    expect(rows.run_id).not.toBe(log.run_id);
    expect(await openScrub(store())).toEqual(log);
    const done = {
      ...log,
      started_at_ms: 4_000,
      ended_at_ms: 5_000,
      records: 7,
      records_total: 7,
      rows: 2,
      damages: 1,
      found: ['a "row"'],
      fault: null,
    };
    await keepScrub(store(), done);
    expect([await readScrub(store(), log.run_id), await openScrub(store())]).toEqual([done, rows]);
    await keepScrub(store(), { ...rows, ended_at_ms: 6_000, fault: 'no disk' });
    expect(await openScrub(store())).toBeUndefined();
    await ask(false, 5_500 + 7 * 24 * 3_600_000);
    expect([await readScrub(store(), log.run_id), (await readScrub(store(), rows.run_id))?.fault]).toEqual([undefined, 'no disk']);
  });
}
