import { InfrastructureFault } from '@countersign/contracts';
import { beforeEach, expect, test } from 'vitest';
import type { OrphanRow } from '../arbiter/arbiter.js';
import type { Job } from '../calls/job.js';
import { Partitions } from '../partitions/partitions.js';
import { Takeover } from './takeover.js';

const row = (key: string, epoch: number): OrphanRow =>
  ({ key, attempt: 1, call_id: `0-${key}`, partition: 0, state: 'running', epoch, resources: [], source: { offset: 0 } }) as never;

/** Rows of the store by key; epochs below 5 are fenced. The lease has epoch 5. */
class World {
  readonly rows = new Map<string, OrphanRow>();
  /** Whether the store answers takeovers. */
  answers = true;
  lease = { epoch: 5, provenUnder: async (epoch: number) => epoch === this.lease.epoch, ownerDead: () => false };
  readonly arbiter = {
    fenceExpired: async () => undefined,
    orphans: async () => [...this.rows.values()].filter(({ epoch }) => epoch < 5),
    takeOver: async (epoch: number, rows: readonly OrphanRow[]) => {
      const owned = rows.filter(({ key, epoch: before }) => this.rows.get(key)?.epoch === before);
      for (const { key } of owned) this.rows.set(key, row(key, epoch));
      if (!this.answers) throw new InfrastructureFault('no answer, although it was written');
      return owned;
    },
  };
  readonly takeover: Takeover;

  constructor() {
    const partitions = new Partitions();
    partitions.assigned = () => [partitions.get('shared', 0)];
    const reader = { catchUp: async () => [], awaitsOwnEnd: () => false };
    const jobs = {
      of: async (rows: readonly OrphanRow[]) => new Map(rows.map((each) => [each, { key: each.key, authorised: {} } as Job])),
    };
    const runtime = { recoveryOf: () => null };
    const parts = { lease: this.lease, gate: { refusalOf: () => undefined }, runtime, clock: { now_ms: () => 0 }, logger: { warn() {} } };
    this.takeover = new Takeover(this.arbiter as never, reader, jobs as never, partitions, parts as never);
  }

  async sweep(): Promise<string[]> {
    const found: string[] = [];
    for await (const { job, event } of this.takeover.sweep()) found.push(`${job.key} ${event}`);
    return found;
  }
}

let world: World;
beforeEach(() => {
  world = new World();
  for (const key of ['a', 'b']) world.rows.set(key, row(key, 3));
});

test('rows whose takeover had no answer are taken over again, each once', async () => {
  world.answers = false;
  await expect(world.sweep()).rejects.toThrow('no answer');
  expect(await world.arbiter.orphans()).toEqual([]);
  world.answers = true;
  expect(await world.sweep()).toEqual(['a adopted_to_start', 'b adopted_to_start']);
  expect(await world.sweep()).toEqual([]);
});

test('a takeover that had no answer is not repeated under a new lease: its rows are found again as orphans', async () => {
  world.answers = false;
  await expect(world.sweep()).rejects.toThrow('no answer');
  [world.answers, world.lease.epoch] = [true, 6];
  expect(await world.sweep()).toEqual([]);
});

test('nothing that was taken over is run after the lease was lost meanwhile', async () => {
  const sweep = world.takeover.sweep();
  expect((await sweep.next()).value).toMatchObject({ job: { key: 'a', epoch: 5 } });
  world.lease.epoch = 6;
  expect((await sweep.next()).done).toBe(true);
});
