import { packCall, unpackCall } from '@countersign/domain';
import { callTables, type Row, readBuilds } from '@countersign/store';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startProjector } from '../start-projector.js';
import { PlatformOnDisk } from '../testing/platform-on-disk.js';
import { courses, SampleHistory } from '../testing/sample-history.js';
import { TestedChecks } from '../testing/state-checks.js';

const CALLS = 180;
const LOOKS = 60;
const history = new SampleHistory();
let ids: string[];
let platform: PlatformOnDisk;
let projector: Awaited<ReturnType<typeof startProjector>>;

beforeAll(async () => {
  platform = await PlatformOnDisk.open();
  ids = Array.from({ length: CALLS }, (_, n) => history.call(courses[n % courses.length]!, null));
  await platform.append(history.events);
  projector = await startProjector(platform.deps, { lanes: ['shared'] });
  await platform.folded();
}, 60_000);
afterAll(async () => {
  await projector.close();
  await platform.close();
});

const uuidOf = (n: number) => (ids[n] as string).slice(2);
const sql = (text: string, params: unknown[] = []) => platform.store.query<Row>({ text, params });
const checked = () => new TestedChecks(platform.log, platform.store);

async function stateOf(n: number) {
  const [row] = await sql('SELECT state FROM calls WHERE call_uuid = $1', [uuidOf(n)]);
  return unpackCall(Buffer.from(row?.state as Uint8Array));
}
const setState = (n: number, state: Buffer) => sql('UPDATE calls SET state = $2 WHERE call_uuid = $1', [uuidOf(n), state]);

describe('the row of a call that was changed in the database', () => {
  afterEach(async () => {
    // Repairs it as an operator does: folds the rows again from the log.
    const [before] = (await readBuilds(platform.store)).filter(({ state, projection }) => state === 'live' && projection === 'call');
    await sql(
      'INSERT INTO projection_requests VALUES ($1, $2) ON CONFLICT (projection) DO UPDATE SET asked_offset = excluded.asked_offset',
      ['call', Math.max(1_000_000, (before?.asked_offset ?? 0) + 1)],
    );
    for (let live = before; live?.suffix === before?.suffix; await new Promise((resolve) => setTimeout(resolve, 20)))
      live = (await readBuilds(platform.store)).find(({ state, projection }) => state === 'live' && projection === 'call');
    expect(await checked().look(1, 20)).toEqual([]);
  }, 60_000);

  test.each<[string, (n: number) => Promise<unknown>, string]>([
    [
      'its status',
      (n) => sql(`UPDATE calls SET status = 'denied' WHERE call_uuid = $1`, [uuidOf(n)]),
      'the row has status denied, the log',
    ],
    [
      'what its state says of its end',
      async (n) => {
        const state = await stateOf(n);
        if (state.end) state.end.outcome.output_json = '{"paid":0}';
        await setState(n, packCall(state));
      },
      'different: end',
    ],
    [
      'its state, to what was true before its end',
      async (n) => {
        const { end: _, started: __, doubt: ___, ...before } = await stateOf(n);
        await setState(n, packCall({ ...before, end: null, started: null, doubt: null }));
      },
      'different: started, end',
    ],
    [
      'its inputs',
      async (n) => {
        const state = await stateOf(n);
        await setState(n, packCall({ ...state, call: state.call && { ...state.call, inputs_json: '{"n":2}' } }));
      },
      'different: call',
    ],
    ['its state, to unreadable bytes', (n) => setState(n, Buffer.from('no state')), 'different: state'],
    ['its state, to nothing', (n) => setState(n, Buffer.alloc(0)), 'different: state'],
    ['whose it is', (n) => sql(`UPDATE calls SET tenant_id = 'other' WHERE call_uuid = $1`, [uuidOf(n)]), 'different: tenant_id'],
    ['that there is one', (n) => sql('DELETE FROM calls WHERE call_uuid = $1', [uuidOf(n)]), 'the row is missing; the log has status'],
    [
      'that there is another beside it',
      async (n) => {
        const [live] = (await readBuilds(platform.store)).filter(({ state, projection }) => state === 'live' && projection === 'call');
        await sql(
          `INSERT INTO calls_${live?.suffix} SELECT ($2)::uuid, partition, tenant_id, case_id, run_id, tool, status, waits_approval, requested_at_ms, hlc, state
        FROM calls WHERE call_uuid = $1`,
          [uuidOf(n), uuidOf(n).replace('0192f0c4', '0192f0c5')],
        );
      },
      'the log has no record of the call',
    ],
  ])(
    'is found: %s',
    async (_, forge, reason) => {
      // There are 9 courses: in this one the call ran and ended.
      const n = 90;
      expect((await stateOf(n)).end?.kind).toBe('executed');
      await forge(n);
      const found = await checked().look(7, LOOKS);
      expect(found).toEqual([
        expect.objectContaining({ kind: 'rows', found_by: 'sample', topic: 'tool-call-requested', tenant_id: 'acme' }),
      ]);
      expect(found[0]?.reason).toContain(reason);
      expect(found[0]?.reason).toMatch(/^calls, call 0-0192f0c/);
    },
    60_000,
  );
});

test('rows that another version of the fold wrote are not compared', async () => {
  await sql(`UPDATE calls SET status = 'denied' WHERE call_uuid = $1`, [uuidOf(90)]);
  await sql(`UPDATE projection_builds SET version = version - 1 WHERE projection = 'call' AND state = 'live'`);
  expect(await checked().look(7, LOOKS)).toEqual([]);
  await sql(`UPDATE projection_builds SET version = $1 WHERE projection = 'call' AND state = 'live'`, [callTables.version]);
  expect(await checked().look(7, LOOKS)).toHaveLength(1);
}, 60_000);

test('a comparison that a stop interrupts reports no damage, whatever was read before it', async () => {
  for (let reads = 0; reads < 12; reads++) {
    let left = reads;
    const log = Object.create(platform.log) as typeof platform.log;
    const cut = new TestedChecks(log, platform.store);
    log.read = async (...of) => {
      if (left-- <= 0) cut.stop();
      return platform.log.read(...of);
    };
    const place = { lanes: ['shared'], partition: 0 };
    const compared = cut.checks.calls.compareWhole(ids.slice(0, 3), place);
    if (reads === 0) await expect(compared).rejects.toThrow('the process stops');
    else expect(await compared.catch(() => [])).toEqual([]);
  }
});

test('a row that is folded anew while the log is read is not accused', async () => {
  const n = 99;
  const [row] = await sql('SELECT status FROM calls WHERE call_uuid = $1', [uuidOf(n)]);
  await sql(`UPDATE calls SET status = 'denied' WHERE call_uuid = $1`, [uuidOf(n)]);
  const place = { lanes: ['shared'], partition: 0 };
  expect(await checked().checks.calls.compareWhole([ids[n] as string], place)).toHaveLength(1);
  const log = Object.create(platform.log) as typeof platform.log;
  log.read = async (...of) => {
    await sql('UPDATE calls SET status = $2 WHERE call_uuid = $1', [uuidOf(n), row?.status]);
    return platform.log.read(...of);
  };
  expect(await new TestedChecks(log, platform.store).checks.calls.compareWhole([ids[n] as string], place)).toEqual([]);
});
