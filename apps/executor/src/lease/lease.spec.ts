import { createLogger } from '@countersign/process';
import { expect, test } from '@jest/globals';
import { Lease, type LeaseTable } from './lease.js';

class Table implements LeaseTable {
  epochs = 0;
  alive = true;
  released: number[] = [];
  onHeartbeat: () => void = () => undefined;
  acquire = async () => ++this.epochs;
  heartbeat = async () => {
    this.onHeartbeat();
    return this.alive;
  };
  release = async (epoch: number) => {
    this.released.push(epoch);
  };
}

const clock = { now: 0, now_ms: () => 0, monotonic_ms: () => clock.now };
const logger = createLogger('test', 'silent');
const options = { instance_id: 'a', lease_ms: 100, heartbeat_ms: 5, exclusive: true };
const later = () => new Promise((resolve) => setTimeout(resolve, 30));

test('it ends on the monotonic clock whoever answers, is told once, and comes back as another epoch', async () => {
  const table = new Table();
  const lease = new Lease(table, options, clock, logger);
  let lost = 0;
  lease.onLost = () => lost++;
  await lease.start();
  expect([lease.held, lease.epoch]).toEqual([true, 1]);
  clock.now += 101;
  expect([lease.check(), lease.check(), lost]).toEqual([false, false, 1]);
  await later();
  expect([lease.held, lease.epoch, lost]).toEqual([true, 2, 1]);
  await lease.close();
  expect(table.released).toEqual([2]);
  expect(lease.held).toBe(false);
});

test('the deadline counts from before the heartbeat was sent: a slow answer does not prolong it', async () => {
  const table = new Table();
  const lease = new Lease(table, options, clock, logger);
  await lease.start();
  table.onHeartbeat = () => {
    clock.now += 60;
    table.onHeartbeat = () => undefined;
    table.heartbeat = () => new Promise(() => undefined);
  };
  await later();
  clock.now += 41;
  expect(lease.held).toBe(false);
});

test('a fenced epoch is never renewed', async () => {
  const table = new Table();
  const lease = new Lease(table, options, clock, logger);
  let lost = 0;
  lease.onLost = () => lost++;
  await lease.start();
  table.alive = false;
  await later();
  expect(lost).toBeGreaterThan(0);
  expect(lease.epoch).toBeGreaterThan(1);
  await lease.close();
});

test('only epochs of processes before this one are known dead, and only where no two can be alive', async () => {
  const table = new Table();
  table.epochs = 4;
  const lease = new Lease(table, options, clock, logger);
  await lease.start();
  expect([lease.ownerDead(4), lease.ownerDead(5)]).toEqual([true, false]);
  await lease.close();
  const shared = new Lease(table, { ...options, exclusive: false }, clock, logger);
  expect(shared.ownerDead(4)).toBe(false);
});
