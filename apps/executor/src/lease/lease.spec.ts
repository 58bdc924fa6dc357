import { createLogger } from '@countersign/process';
import { describe, expect, test } from 'vitest';
import { Lease, type LeaseTable } from './lease.js';

/** The row of a lease. Its responses wait while it is `slow`. */
class Table implements LeaseTable {
  epochs = 0;
  fenced = 0;
  requested_at: number[] = [];
  released: number[] = [];
  slow: Promise<void> | undefined;
  onHeartbeat: () => void = () => undefined;
  acquire = async () => ++this.epochs;
  heartbeat = async (epoch: number) => {
    this.requested_at.push(epoch);
    this.onHeartbeat();
    await this.slow;
    return epoch > this.fenced;
  };
  release = async (epoch: number) => {
    this.released.push(epoch);
  };
  /** Blocks all responses until `go` is called. */
  stall(): () => void {
    let go: () => void = () => undefined;
    this.slow = new Promise((resolve) => {
      go = () => {
        this.slow = undefined;
        resolve();
      };
    });
    return go;
  }
}

const LEASE_MS = 100;
const HEARTBEAT_MS = 5;
const TURNS = LEASE_MS / HEARTBEAT_MS;
const logger = createLogger('test', 'silent');

function world(exclusive = false) {
  const clock = { now: 0, now_ms: () => 0, monotonic_ms: () => clock.now };
  const table = new Table();
  const options = { instance_id: 'a', lease_ms: LEASE_MS, heartbeat_ms: HEARTBEAT_MS, exclusive };
  const lease = new Lease(table, options, clock, logger);
  const lost: number[] = [];
  lease.on('lost', () => lost.push(lease.epoch));
  return { clock, table, lease, lost };
}

const until = async (what: () => boolean) => {
  while (!what()) await new Promise((resolve) => setTimeout(resolve, 2));
};

describe('a process that was blocked past the end of its lease', () => {
  test('runs nothing, checks the store first, and continues under its epoch if no other process took it', async () => {
    const { clock, table, lease, lost } = world();
    await lease.start();
    clock.now += LEASE_MS + 1;
    const requested_at = table.requested_at.length;
    expect([lease.check(), lease.check(), lease.held, lease.unproven]).toEqual([false, false, false, true]);
    expect(table.requested_at.length).toBe(requested_at + 1);
    expect(await lease.proven()).toBe(true);
    expect([lease.check(), lease.epoch, lost]).toEqual([true, 1, []]);
    await lease.close();
    expect([table.released, lease.held]).toEqual([[1], false]);
  });

  test('gives it up once if another process took it, and returns under another epoch', async () => {
    const { clock, table, lease, lost } = world();
    await lease.start();
    table.fenced = 1;
    clock.now += LEASE_MS + 1;
    expect([lease.check(), lost]).toEqual([false, []]);
    expect(await lease.proven()).toBe(false);
    expect([lost, lease.unproven]).toEqual([[1], false]);
    await until(() => lease.held);
    expect([lease.epoch, lost]).toEqual([2, [1]]);
    await lease.close();
  });

  test('a response that was read too late proves nothing: the store is queried again', async () => {
    const { clock, table, lease, lost } = world();
    await lease.start();
    table.onHeartbeat = () => {
      clock.now += LEASE_MS + 1; // blocked between the request and its response
      if (table.requested_at.length >= 3) table.onHeartbeat = () => undefined;
    };
    expect(await until(() => table.requested_at.length >= 1)).toBeUndefined();
    expect(await lease.proven()).toBe(true);
    expect([table.requested_at.length >= 4, new Set(table.requested_at).size, lease.epoch, lost]).toEqual([true, 1, 1, []]);
    await lease.close();
  });

  test('every waiting caller gets the response', async () => {
    const { clock, table, lease } = world();
    await lease.start();
    const go = table.stall();
    clock.now += LEASE_MS + 1;
    const waiting = Array.from({ length: 10 }, () => lease.proven());
    table.fenced = 1;
    go();
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => false));
    await lease.close();
  });
});

describe('a store that does not respond', () => {
  test('ends the lease of an unblocked process on time: its runs are destroyed before another process takes over', async () => {
    const { clock, table, lease, lost } = world();
    await lease.start();
    table.stall();
    const look = () => {
      clock.now += HEARTBEAT_MS;
      return lease.check();
    };
    while (clock.now + HEARTBEAT_MS < LEASE_MS) expect(look()).toBe(true);
    expect([look(), lost, lease.unproven]).toEqual([false, [1], false]);
  });

  test('ends the lease of a blocked process after some turns: nothing proves any longer that it is held', async () => {
    const { clock, table, lease, lost } = world();
    await lease.start();
    const go = table.stall();
    clock.now += LEASE_MS + 1;
    const waiting = lease.proven();
    expect(lost).toEqual([]);
    expect(await waiting).toBe(false);
    expect(lost).toEqual([1]);
    // A later response is ignored, although the row still exists.
    go();
    await until(() => lease.held);
    expect([lease.epoch, lost]).toEqual([2, [1]]);
    await lease.close();
  });

  test('does not end a lease that no other process can take', async () => {
    const { clock, table, lease, lost } = world(true);
    await lease.start();
    const go = table.stall();
    clock.now += LEASE_MS + 1;
    const began = performance.now();
    await until(() => performance.now() - began > 2 * TURNS * HEARTBEAT_MS);
    expect([lease.held, lease.unproven, lost]).toEqual([false, true, []]);
    go();
    expect([await lease.proven(), lease.epoch]).toEqual([true, 1]);
    await lease.close();
  });
});

test('the deadline counts from before the heartbeat was sent: a slow response does not extend it', async () => {
  const { clock, table, lease } = world();
  await lease.start();
  table.onHeartbeat = () => {
    clock.now += 60;
    table.onHeartbeat = () => undefined;
    table.heartbeat = () => new Promise(() => undefined);
  };
  await until(() => clock.now >= 60);
  await new Promise((resolve) => setImmediate(resolve));
  expect(lease.held).toBe(true);
  clock.now += 41;
  expect(lease.held).toBe(false);
});

test('a fenced epoch is never renewed, even before its deadline', async () => {
  const { table, lease, lost } = world();
  await lease.start();
  table.fenced = 1;
  await until(() => lost.length === 1);
  await until(() => lease.held);
  expect(lease.epoch).toBe(2);
  await lease.close();
});

test('only epochs of earlier processes are known to be dead, and only if no two can be alive', async () => {
  const { table, lease } = world(true);
  table.epochs = 4;
  await lease.start();
  expect([lease.ownerDead(4), lease.ownerDead(5)]).toEqual([true, false]);
  await lease.close();
  expect(world(false).lease.ownerDead(4)).toBe(false);
});
