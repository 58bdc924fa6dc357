import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { acquire, fenceOthers, heartbeat, release } from '../leases/leases.js';
import type { Store } from '../store.js';
import { closeApprovalsStatement, isApprovalClosed, restoreUses } from './approval-uses.js';
import { type Claim, claim } from './claim.js';
import { executionState } from './execution-row.js';
import { foldEndsStatements, type LoggedEnd } from './fold-ends.js';
import { rowsOfKeys } from './rows.js';
import { readStanding } from './standing.js';
import { orphans, takeOver } from './take-over.js';
import { tombstones } from './tombstones.js';

const { running, succeeded, in_doubt, released } = executionState;

let sequence = 0;

/** A claim of a new key, with the fields that the test sets. */
export function claimOf(more: Partial<Claim> = {}): Claim {
  return {
    key: randomUUID(),
    attempt: 1,
    tenant_id: 'acme',
    call_uuid: randomUUID(),
    partition: 1,
    state: running,
    digest8: 2 ** 52 - 1,
    source_topic: 0,
    source_offset: ++sequence,
    approval_id: null,
    ...more,
  };
}

const tombstoneOf = ({ state: _, approval_id: __, ...item }: Claim) => ({ ...item, source_topic: 1 as const, ended_at_s: 1_700_000_000 });
const endOf = ({ key, attempt, call_uuid }: Claim, state: LoggedEnd['state'], end_offset = 10): LoggedEnd => ({
  key,
  attempt,
  call_uuid,
  state,
  end_offset,
  ended_at_s: 1_700_000_000,
  resources: 'none',
});
const fold = (store: Store, ends: readonly LoggedEnd[]) => store.atomically(foldEndsStatements(ends));
export const leaseOf = (store: Store, lane = 'shared', lease_ms = 60_000) =>
  acquire(store, { instance_id: randomUUID(), lane, lease_ms, epoch_above: 0 });

/** Which caller may run a key: claims, approvals, tombstones. Part of describeStore. */
export function describeClaims(store: () => Store): void {
  test('of 20 concurrent claims of one key exactly one wins', async () => {
    const epoch = await leaseOf(store());
    const key = randomUUID();
    const claims = Array.from({ length: 20 }, () => claimOf({ key }));
    const won = await Promise.all(claims.map((one) => claim(store(), epoch, [one])));
    expect(won.flat().filter(Boolean)).toHaveLength(1);
    const winner = claims[won.findIndex(([first]) => first)];
    const rows = await rowsOfKeys(store(), [key]);
    expect(rows).toEqual([
      {
        key,
        attempt: 1,
        tenant_id: 'acme',
        call_uuid: winner?.call_uuid,
        partition: 1,
        lane: 'shared',
        epoch,
        state: running,
        digest8: 2 ** 52 - 1,
        source_topic: 0,
        source_offset: winner?.source_offset,
        end_offset: null,
        ended_at_s: null,
        resources: null,
        stands: null,
      },
    ]);
  });

  test('of two claims of one key in one batch the first wins', async () => {
    const epoch = await leaseOf(store());
    const key = randomUUID();
    expect(await claim(store(), epoch, [claimOf({ key }), claimOf(), claimOf({ key })])).toEqual([true, true, false]);
  });

  test('attempt n can be claimed only after attempt n-1 is released', async () => {
    const epoch = await leaseOf(store());
    const first = claimOf();
    const second = { ...claimOf({ key: first.key }), attempt: 2 };
    expect(await claim(store(), epoch, [second])).toEqual([false]);
    expect(await claim(store(), epoch, [first])).toEqual([true]);
    expect(await claim(store(), epoch, [second])).toEqual([false]);
    await fold(store(), [endOf(first, released)]);
    expect(await claim(store(), epoch, [second])).toEqual([true]);
    expect((await rowsOfKeys(store(), [first.key])).map(({ attempt, state }) => [attempt, state])).toEqual([
      [1, released],
      [2, running],
    ]);
  });

  test('20 racing claims of different keys consume an approval once', async () => {
    const epoch = await leaseOf(store());
    const approval_id = randomUUID();
    const claims = Array.from({ length: 20 }, () => claimOf({ approval_id }));
    const won = await Promise.all(claims.map((one) => claim(store(), epoch, [one, claimOf({ approval_id: randomUUID() })])));
    expect(won.filter(([first]) => first)).toHaveLength(1);
    expect(won.every(([, other]) => other)).toBe(true);
  });

  test('a claim that loses its key does not consume its approval', async () => {
    const epoch = await leaseOf(store());
    const approval_id = randomUUID();
    const held = claimOf();
    await claim(store(), epoch, [held]);
    expect(await claim(store(), epoch, [claimOf({ key: held.key, approval_id })])).toEqual([false]);
    expect(await claim(store(), epoch, [claimOf({ approval_id })])).toEqual([true]);
  });

  test('a claim that consumed its approval and then lost its key keeps the approval only for its own next attempt', async () => {
    const epoch = await leaseOf(store());
    const key = randomUUID();
    const claims = Array.from({ length: 12 }, () => claimOf({ key, approval_id: randomUUID() }));
    const won = await Promise.all(claims.map((one) => claim(store(), epoch, [one])));
    const winner = claims[won.findIndex(([first]) => first)] as Claim;
    await fold(store(), [endOf(winner, released)]);
    const [next, ...others] = claims.filter((one) => one !== winner) as [Claim, ...Claim[]];
    await restoreUses(store(), [next as Claim & { approval_id: string }]);
    expect(await claim(store(), epoch, [claimOf({ approval_id: next.approval_id })])).toEqual([false]);
    expect(await claim(store(), epoch, [{ ...next, attempt: 2 }])).toEqual([true]);
    expect(await claim(store(), epoch, [{ ...(others[0] as Claim), attempt: 2 }])).toEqual([false]);
    expect(await claim(store(), epoch, [{ ...next, key: randomUUID(), call_uuid: randomUUID() }])).toEqual([false]);
  });

  test("exactly one of an approval's end and a concurrent claim wins, twenty times", async () => {
    const epoch = await leaseOf(store());
    for (let i = 0; i < 20; i++) {
      const approval_id = randomUUID();
      const close = async () => {
        await store().query(closeApprovalsStatement([approval_id]));
        return [false];
      };
      const racers = [() => claim(store(), epoch, [claimOf({ approval_id })]), close];
      const [won] = (await Promise.all((i % 2 ? racers : racers.reverse()).map((race) => race()))).flat().sort().reverse();
      expect(await isApprovalClosed(store(), approval_id)).toBe(!won);
      expect(await claim(store(), epoch, [claimOf({ approval_id })])).toEqual([false]);
    }
  });

  test('exactly one of a tombstone and a claim that race for one row wins, twenty times', async () => {
    const epoch = await leaseOf(store());
    for (let i = 0; i < 20; i++) {
      const one = claimOf();
      const racers = [() => claim(store(), epoch, [one]), () => tombstones(store(), epoch, [tombstoneOf(one)])];
      const won = await Promise.all((i % 2 ? racers : racers.reverse()).map((race) => race()));
      expect(won.flat().filter(Boolean)).toHaveLength(1);
      expect(await rowsOfKeys(store(), [one.key])).toHaveLength(1);
    }
  });

  test('batches of overlapping keys in opposite orders do not deadlock', async () => {
    const epoch = await leaseOf(store());
    const keys = Array.from({ length: 50 }, () => randomUUID());
    const batches = Array.from({ length: 8 }, (_, i) => (i % 2 ? keys : [...keys].reverse()).map((key) => claimOf({ key })));
    const won = await Promise.all(batches.map((batch) => claim(store(), epoch, batch)));
    expect(won.flat().filter(Boolean)).toHaveLength(50);
  });
}

/** What ends a row, and what a stale epoch cannot do. Part of describeStore. */
export function describeEnds(store: () => Store): void {
  test('the first end on the log is final unless it is a doubt that is resolved later; ends of other calls are ignored', async () => {
    const epoch = await leaseOf(store());
    const [done, doubtful, open] = [claimOf(), claimOf(), claimOf()];
    await claim(store(), epoch, [done, doubtful, open]);
    const found = async () => {
      const rows = await rowsOfKeys(store(), [done.key, doubtful.key, open.key]);
      const ends = new Map(rows.map((row) => [row.key, [row.state, row.end_offset, row.ended_at_s]]));
      return [done, doubtful, open].map(({ key }) => ends.get(key));
    };
    const first = [
      [succeeded, 10, 1_700_000_000],
      [in_doubt, 11, 1_700_000_000],
      [running, null, null],
    ];
    await fold(store(), [endOf(done, succeeded), endOf(doubtful, in_doubt, 11), { ...endOf(open, succeeded), call_uuid: randomUUID() }]);
    expect(await found()).toEqual(first);
    await fold(store(), [endOf(done, released, 12), endOf(doubtful, succeeded, 10)]);
    expect(await found()).toEqual(first);
    await fold(store(), [endOf(doubtful, succeeded, 12)]);
    await fold(store(), [endOf(doubtful, released, 13)]);
    expect((await found())[1]).toEqual([succeeded, 12, 1_700_000_000]);
  });

  test('for an attempt without resources the validity of its result is null, and attempts without a row are not returned', async () => {
    const epoch = await leaseOf(store());
    const one = claimOf();
    await claim(store(), epoch, [one]);
    await fold(store(), [endOf(one, succeeded)]);
    const attempts = [1, 2].map((attempt) => ({ key: one.key, attempt }));
    expect(await readStanding(store(), [...attempts, { key: randomUUID(), attempt: 1 }])).toEqual([
      { key: one.key, attempt: 1, stands: null, superseded_by: null },
    ]);
    expect(await readStanding(store(), [])).toEqual([]);
  });

  test('a fenced epoch can neither claim nor take over', async () => {
    const lane = randomUUID();
    const zombie = await leaseOf(store(), lane);
    const mine = claimOf();
    await claim(store(), zombie, [mine]);
    const epoch = await leaseOf(store(), lane);
    expect(await fenceOthers(store(), lane, epoch)).toEqual([zombie]);
    const orphaned = await orphans(store(), lane, 1);
    expect(await claim(store(), zombie, [claimOf(), claimOf({ approval_id: randomUUID() })])).toEqual([false, false]);
    expect(await tombstones(store(), zombie, [tombstoneOf(claimOf())])).toEqual([false]);
    expect(await takeOver(store(), zombie, orphaned)).toEqual([]);
    expect(await heartbeat(store(), zombie, 60_000)).toBe(false);
    expect((await rowsOfKeys(store(), [mine.key]))[0]?.state).toBe(running);
  });

  test('an expired lease cannot claim, even before another executor fences it', async () => {
    const lane = randomUUID();
    const epoch = await leaseOf(store(), lane, 150);
    expect(await claim(store(), epoch, [claimOf()])).toEqual([true]);
    await new Promise((wait) => setTimeout(wait, 200));
    expect(await claim(store(), epoch, [claimOf()])).toEqual([false]);
  });

  test('a takeover owns the running orphans but not the ended ones', async () => {
    const lane = randomUUID();
    const old = await leaseOf(store(), lane);
    const [ended, one, two, elsewhere] = [claimOf(), claimOf(), claimOf(), claimOf({ partition: 2 })];
    await claim(store(), old, [ended, one, two, elsewhere]);
    await fold(store(), [endOf(ended, succeeded)]);
    const epoch = await leaseOf(store(), lane);
    expect(await orphans(store(), lane, 1)).toEqual([]);
    await release(store(), old);
    const found = await orphans(store(), lane, 1);
    expect(found.map(({ key }) => key).sort()).toEqual([one.key, two.key].sort());
    const taken = await takeOver(store(), epoch, found);
    expect(taken.map((row) => [row.key, row.epoch, row.state]).sort()).toEqual([one, two].map(({ key }) => [key, epoch, running]).sort());
    expect(await takeOver(store(), epoch, found)).toEqual([]);
    expect(await orphans(store(), lane, 1)).toEqual([]);
  });
}
