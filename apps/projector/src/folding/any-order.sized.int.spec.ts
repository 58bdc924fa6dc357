import { histories } from '@countersign/contracts/testing/histories';
import { type PlacedEvent, unpackCall } from '@countersign/domain';
import { PgliteStore, type Row, readBuilds, tablesOf, unrequestedHlc, viewSets } from '@countersign/store';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projections } from '../projections/index.js';
import { MergedQueries } from '../testing/merged-queries.js';
import { type Course, courses } from '../testing/sample-history.js';
import { SampleRecord } from '../testing/sample-record.js';
import { CallStates, NO_CALL } from './call-states.js';
import { PendingWrite } from './pending-write.js';
import { callOf } from './storable-event.js';

const HISTORIES = 100;
const READINGS = 25;
const RUNS = histories(1, 8);
const OFFSETS = 1_000_000_000_000;
/** A multiple of TRUST_BUCKET, so that rows are aligned with offsets. */
const STRIDE = 10_240;

type Picks = readonly { course: Course; case_id: string | null }[];
interface Cut {
  size: number;
  restart: boolean;
  again: boolean;
}

let store: PgliteStore;
beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
});
afterAll(() => store.close());

const tenantOf = (serial: number) => `tenant-${String(serial).padStart(6, '0')}`;

function historyOf(picks: Picks, serial: number): PlacedEvent[] {
  const history = new SampleRecord({ serial, tenant_id: tenantOf(serial), first_offset: OFFSETS + serial * STRIDE });
  history.openCase('c1', 'First');
  const ids = picks.map(({ course, case_id }) => history.call(course, case_id));
  for (const call_id of ids) if (ids.length > 1) for (const mode of ['delegated', 'network'] as const) history.correct(call_id, mode);
  if (picks[0]?.course === 'denied') history.saga('c1', picks[0].case_id === 'c1');
  if (picks.length === 1) history.refuse('3-0192f0c4-0000-7000-8000-000000000001');
  history.openCase('c1', null, 'closed');
  return history.events;
}

/** Keeps the order inside each topic and shuffles everything else. */
function shuffled(events: readonly PlacedEvent[], turns: readonly number[]): PlacedEvent[] {
  const topics = [...new Set(events.map((at) => at.topic))].map((topic) => events.filter((at) => at.topic === topic));
  const out: PlacedEvent[] = [];
  for (let n = 0; out.length < events.length; n++) {
    const open = topics.filter((topic) => topic.length > 0);
    const topic = open[(turns[n % turns.length] as number) % open.length] as PlacedEvent[];
    out.push(topic.shift() as PlacedEvent);
  }
  return out;
}

/** Reads one order of a history in batches, some of them twice. */
class Reader {
  private states = new CallStates(0);
  private requestedHlc = 0;
  private at = 0;
  private cut = 0;

  constructor(
    private readonly events: readonly PlacedEvent[],
    private readonly cuts: readonly Cut[],
  ) {}

  get done(): boolean {
    return this.at >= this.events.length;
  }

  async batch(sql: MergedQueries, pending: PendingWrite): Promise<void> {
    const { size, again, restart } = this.cuts[this.cut % this.cuts.length] as Cut;
    const part = this.events.slice(this.at, this.at + size);
    await this.states.load(sql, part, this.requestedHlc);
    for (const at of again && !restart ? [...part, ...part] : part) this.fold(at, pending);
    this.at += size;
  }

  /** Continues, sometimes as a restarted process. */
  written(ids: Iterable<string>, unrequested: number): void {
    const { restart } = this.cuts[this.cut++ % this.cuts.length] as Cut;
    this.states.written(ids);
    if (restart) this.states = new CallStates(unrequested);
  }

  private fold(at: PlacedEvent, pending: PendingWrite): void {
    const { hlc } = at.event.meta;
    const call_id = callOf(at);
    pending.fold({
      at,
      ...(call_id === null ? NO_CALL : this.states.fold(at, call_id)),
    });
    if (at.event_type === 'tool_call_requested') this.requestedHlc = Math.max(this.requestedHlc, hlc);
  }
}

async function readAll(readers: readonly Reader[]): Promise<void> {
  const tables = tablesOf(await readBuilds(store), viewSets);
  const plan = { number: 0, group: 'any-order', tables, states: tables, projections: new Set(viewSets.map(({ name }) => name)) };
  for (let open = readers; open.length > 0; open = open.filter((reader) => !reader.done)) {
    const sql = new MergedQueries(tables.of(store));
    const pending = new PendingWrite(projections);
    await Promise.all(open.map((reader) => reader.batch(sql, pending)));
    await store.atomically(pending.statements({ ...plan, held: { text: 'SELECT 1', params: [] } }));
    const unrequested = await unrequestedHlc(tables.of(store), 0);
    for (const reader of open) reader.written(pending.call_ids, unrequested);
  }
}

/** The rows without data that depends on the reading. */
const plain = (row: Row) =>
  JSON.stringify(row.state instanceof Buffer ? { ...row, state: JSON.stringify(unpackCall(row.state)) } : row)
    .replaceAll(/tenant-\d{6}/g, 'tenant')
    .replaceAll(/0192f0c4-([0-9a-f]{4})-7[0-9a-f]{3}-8[0-9a-f]{3}/g, '$1')
    .replaceAll(/\b1000\d{9}\b/g, (offset) => String(Number(offset) % STRIDE));

async function rowsByTenant(): Promise<Map<string, Record<string, string[]>>> {
  const found = new Map<string, Record<string, string[]>>();
  for (const table of viewSets.flatMap(({ tables }) => tables)) {
    for (const row of await store.query({ text: `SELECT * FROM ${table.name}`, params: [] })) {
      const own = found.get(row.tenant_id as string) ?? {};
      found.set(row.tenant_id as string, own);
      own[table.name] ??= [];
      own[table.name]?.push(plain(row));
    }
  }
  for (const rows of found.values()) for (const list of Object.values(rows)) list.sort();
  return found;
}

async function emptied(): Promise<void> {
  const builds = tablesOf(await readBuilds(store), viewSets);
  const names = viewSets.flatMap(({ tables }) => tables).map(({ name }) => builds.bind({ text: `{${name}}`, params: [] }).text);
  await store.query({ text: `TRUNCATE ${names.join(', ')}`, params: [] });
  await store.query({ text: `DELETE FROM projection_offsets WHERE projection = 'any-order'`, params: [] });
}

const picks = fc.array(fc.record({ course: fc.constantFrom(...courses), case_id: fc.constantFrom('c1', null) }), {
  minLength: 1,
  maxLength: 2,
});
const cut = fc.record({ size: fc.integer({ min: 1, max: 16 }), restart: fc.boolean(), again: fc.boolean() });
const reading = fc.record({
  turns: fc.array(fc.nat(7), { minLength: 1, maxLength: 24 }),
  cuts: fc.array(cut, { minLength: 1, maxLength: 6 }),
});
const history = fc.record({ chosen: picks, readings: fc.array(reading, { minLength: READINGS, maxLength: READINGS }) });

describe('the views are a fold of the log', () => {
  test(`${HISTORIES * READINGS * RUNS} orders that keep each topic in order, cut, repeated and restarted anywhere, give the same rows`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(history, { minLength: HISTORIES, maxLength: HISTORIES }), async (histories) => {
        const straight = [{ size: 1_000, restart: false, again: false }];
        const readers = histories.flatMap(({ chosen, readings }, n) => {
          const first = n * (READINGS + 1);
          const others = readings.map(({ turns, cuts }, m) => new Reader(shuffled(historyOf(chosen, first + m + 1), turns), cuts));
          return [new Reader(historyOf(chosen, first), straight), ...others];
        });
        await emptied();
        await readAll(readers);
        const rows = await rowsByTenant();
        histories.forEach((_, n) => {
          const first = n * (READINGS + 1);
          const expected = rows.get(tenantOf(first));
          const text = JSON.stringify(expected);
          for (let m = 1; m <= READINGS; m++) {
            const found = rows.get(tenantOf(first + m));
            if (JSON.stringify(found) !== text) expect(found).toEqual(expected);
          }
        });
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  }, 300_000);

  test('every projection is covered: each has its tables here, and each table a tenant', () => {
    expect(new Set(projections.map(({ set }) => set))).toEqual(new Set(viewSets));
    // The export outbox is not a view: no tenant reads it, and published rows are deleted.
    const views = viewSets.flatMap(({ tables }) => tables).filter(({ name }) => name !== 'export_outbox');
    for (const { name, columns } of views) expect([name, columns.includes('tenant_id')]).toEqual([name, true]);
  });
});
