import { Rig } from '@countersign/executor/testing/rig';
import { TestedChecks } from '@countersign/projector/testing/state-checks';
import type { Row } from '@countersign/store';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Random } from './random.js';

const PARTITIONS = 2;
const LOOKS = 30;
let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close(), 30_000);

type Ruling = Awaited<ReturnType<Rig['allow']>>;

const sql = (text: string, params: unknown[] = []) => rig.store.query<Row>({ text, params });
const checked = () => new TestedChecks(rig.log, rig.store, PARTITIONS);
const keyOf = (ruling: Ruling) => ruling.call.idempotency_key;
const set = (ruling: Ruling, change: string) => sql(`UPDATE tool_executions SET ${change} WHERE key = $1`, [keyOf(ruling)]);

/** An executor that has run some calls and has folded their ends; the forged call is among them. */
async function ranCalls(tool = 'blind_write'): Promise<Ruling> {
  const app = await rig.start();
  const rulings: Ruling[] = [];
  for (let n = 0; n < 24; n++) rulings.push(await rig.allow(tool, `w${n}`, n % 8 === 7 ? { act: 'refuse' } : {}));
  await rig.ends(rulings.map(({ meta }) => meta.call_id as string));
  await app.close();
  return rulings[11] as Ruling;
}

describe('a row of tool_executions that was changed in the database', () => {
  test.each<[string, (ruling: Ruling) => Promise<unknown>, RegExp]>([
    [
      'set to released, so that its call would fire twice',
      (ruling) => set(ruling, 'state = 5'),
      /says released, the log ends it as succeeded/,
    ],
    [
      'set to released as if it had never run',
      (ruling) => set(ruling, 'state = 5, end_offset = NULL, ended_at_s = NULL'),
      /says released, the log ends it as succeeded/,
    ],
    ['set back to running', (ruling) => set(ruling, 'state = 1, end_offset = NULL, ended_at_s = NULL'), /says running, the log ends it/],
    ['of another attempt', (ruling) => set(ruling, 'attempt = 2'), /has no row, the log has its start/],
    ['of another call', (ruling) => set(ruling, `call_uuid = '00000000-0000-4000-8000-000000000001'`), /is of call/],
    ['ended longer ago', (ruling) => set(ruling, 'ended_at_s = ended_at_s - 100000'), /says succeeded/],
    ['of another end', (ruling) => set(ruling, 'end_offset = end_offset + 1'), /says succeeded/],
    ['of another ruling', (ruling) => set(ruling, 'source_offset = source_offset + 1'), /says source offset/],
    ['that names no resources', (ruling) => set(ruling, 'resources = NULL'), /names other resources/],
    [
      'that is deleted',
      (ruling) => sql('DELETE FROM tool_executions WHERE key = $1', [keyOf(ruling)]),
      /has no row, the log has its start/,
    ],
    ['whose generation is lost', () => sql('DELETE FROM resource_generations'), /generation \d+ of resource .* is missing/],
  ])(
    'is found: %s',
    async (_, forge, reason) => {
      const ruling = await ranCalls();
      expect(await checked().look(3, LOOKS)).toEqual([]);
      await forge(ruling);
      const found = await checked().look(5, LOOKS);
      expect(found.length).toBeGreaterThan(0);
      expect(found[0]).toMatchObject({ kind: 'rows', found_by: 'sample', topic: 'tool-executed', tenant_id: 'default' });
      expect(found[0]?.reason).toMatch(reason);
      expect((await checked().all(PARTITIONS)).some((line) => reason.test(line))).toBe(true);
    },
    60_000,
  );

  test('that runs under an unknown epoch, and one without a call, are found when all rows are compared', async () => {
    const ruling = await ranCalls();
    const key = '00000000-0000-4000-8000-00000000000a';
    await sql(
      `INSERT INTO tool_executions (key, attempt, tenant_id, call_uuid, partition, state, digest8, source_topic, source_offset, lane, epoch)
       SELECT $2, 1, tenant_id, $2, partition, 1, 0, 0, 0, lane, 77 FROM tool_executions WHERE key = $1`,
      [keyOf(ruling), key],
    );
    expect(await checked().all(PARTITIONS)).toEqual([expect.stringMatching(/attempt 1: its row says running, but no executor runs it/)]);
    await sql('UPDATE tool_executions SET state = 2, end_offset = 3, ended_at_s = 9 WHERE key = $1', [key]);
    expect(await checked().all(PARTITIONS)).toEqual([expect.stringMatching(/says succeeded at offset 3, the log has no record of it/)]);
  }, 60_000);
});

describe('honest rows', () => {
  test('are never reported while calls run, fail, are in doubt and resolved, executors are killed, and the database is lost', async () => {
    const random = new Random(17);
    const open = rig.world.close();
    let accused: string[] = [];
    let compared = 0;
    let app = await rig.start({ lease_ms: 1000 });
    for (let round = 0; round < 6; round++) {
      const acts = ['answer', 'refuse', 'lose_answer', 'lose_request', 'gate'];
      const tools = ['blind_write', 'asked_write', 'keyed_write', 'unnamed_write', 'replacing_write', 'test_read'];
      const rulings: Ruling[] = [];
      for (let n = 0; n < 20; n++) {
        const act = round === 5 && n > 0 ? random.pick(acts.slice(0, 4)) : random.pick(acts);
        rulings.push(await rig.allow(random.pick(tools), `${random.below(30)}`, { act }));
      }
      const check = checked();
      const sampler = check.sampler(round);
      for (let n = 0; n < 6; n++) await sampler.look();
      for (const ruling of rulings)
        if ((await rig.eventsOf(ruling.meta.call_id as string)).some(({ event_type }) => event_type === 'tool_call_in_doubt'))
          await rig.resolve(ruling, random.pick(['happened', 'did_not_happen']));
      await sampler.look();
      if (round % 3 === 1) {
        await rig.fenceAll();
        app = await rig.start({ lease_ms: 1000 });
      }
      await sampler.look();
      if (round === 3) {
        for (const each of rig.apps.splice(0)) await each.close();
        await rig.loseDatabase();
        app = await rig.start({ lease_ms: 1000 });
      }
      const after = checked();
      const again = after.sampler(100 + round);
      for (let n = 0; n < 6; n++) await again.look();
      accused = [...accused, ...check.found, ...after.found].map((each) => (typeof each === 'string' ? each : each.reason));
      compared += (await check.compared('tool_executions')) + (await after.compared('tool_executions'));
    }
    open();
    await app.close();
    expect([accused, await checked().all(PARTITIONS)]).toEqual([[], []]);
    expect(compared).toBeGreaterThan(300);
  }, 180_000);
});
