import { fileURLToPath } from 'node:url';
import type { EventMap } from '@countersign/contracts';
import { isKnownDead, type ProcessIdentity } from '@countersign/runtimes';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { badReads } from './testing/bad-reads.js';
import { FaultyLog } from './testing/faulty-log.js';
import { Rig } from './testing/rig.js';

const outside = fileURLToPath(new URL('./testing/outside-pack.js', import.meta.url));
let rig: Rig;
let log: FaultyLog;
beforeAll(async () => {
  rig = await Rig.open();
  log = new FaultyLog(rig.log);
  await rig.start({ packs: [outside], children: { memory_mb: 1024, blocked_ms: 500 } }, { log });
});
afterAll(() => rig.close());

const outcomeOf = async (tool: string, act: string, name = act) => (await rig.end(await rig.allow(tool, name, { act }))).event.outcome;

describe('a misbehaving tool of an external pack ends its own call once and affects no other call', () => {
  test.each(badReads)('a read that %s', async (_what, act, code) => {
    const ruling = await rig.allow(act.startsWith('huge_') ? 'patient_read' : 'faulty_read', act, { act });
    const { outcome } = (await rig.end(ruling)).event;
    expect(outcome).toMatchObject({ status: 'failed', effect: 'none', output_json: null, error: { code } });
    expect((await outcomeOf('faulty_read', 'answer', 'the next call')).status).toBe('succeeded');
    expect(await rig.eventsOf(ruling.meta.call_id as string)).toHaveLength(1);
  });

  test('a write that does the same may have happened: in doubt, never a failure', async () => {
    for (const act of ['throw', 'throw_nothing', 'never', 'wrong_shape', 'ring', 'getter', 'negative'])
      expect(await outcomeOf('faulty_write', act)).toMatchObject({ status: 'in_doubt', effect: 'unknown' });
  });

  test('a valid response of 200 MB means success for a write; only its small members are stored', async () => {
    const outcome = await outcomeOf('patient_write', 'huge_text');
    expect(outcome).toMatchObject({ status: 'succeeded', effect: 'happened', truncated: true, output_json: '{"ok":true}' });
  });

  test('predicates and read-backs also run in its process', async () => {
    const warned = await outcomeOf('faulty_read', 'odd');
    expect(warned).toMatchObject({ status: 'succeeded', warnings: ['sanity: total_even does not hold'] });
    expect(await outcomeOf('verified_write', 'answer')).toMatchObject({ status: 'succeeded', extras: { verified: true } });
    expect(await outcomeOf('reconciled_write', 'wrong_shape')).toMatchObject({ output_json: '{"ok":true,"found":"later"}' });
    const reported = await outcomeOf('reporting_read', 'answer');
    expect(reported).toMatchObject({ status: 'succeeded', attachments: [{ kind: 'table', bytes: 8 }] });
  });
});

describe('a tool that harms its process', () => {
  const fatal = ['block', 'exit', 'leak', 'throw_outside'];

  test.each(fatal)('ends only the calls of that process: a write that does %s is in doubt, and the next one runs', async (act) => {
    // A blocked thread is detected at the timeout of its call.
    expect(await outcomeOf(act === 'block' ? 'faulty_write' : 'patient_write', act, `write ${act}`)).toMatchObject({ status: 'in_doubt' });
    // The start of a child counts towards the time limit of the call that needs it.
    expect((await outcomeOf('patient_read', 'answer', `after ${act}`)).status).toBe('succeeded');
  });

  test.each(fatal)('a read that does %s fails within its timeout, and without an effect', async (act) => {
    const outcome = await outcomeOf('faulty_read', act, `read ${act}`);
    expect(outcome).toMatchObject({ status: 'failed', effect: 'none' });
    expect(['NETWORK_ERROR', 'TIMEOUT']).toContain(outcome.error?.code);
  });

  test('a concurrent read runs again', async () => {
    const beside = await rig.allow('patient_read', 'beside', { act: 'slow', wait_ms: 1500 });
    await outcomeOf('patient_write', 'exit', 'beside it');
    expect((await rig.end(beside)).event.outcome).toMatchObject({ status: 'succeeded', retry_count: 1 });
  });
});

/** The processes in the start records of a write, one per start. */
async function placesOf({ meta }: EventMap['policy_decided']): Promise<ProcessIdentity[]> {
  const starts = (await rig.eventsOf(meta.call_id as string)).filter(({ event_type }) => event_type === 'tool_call_started');
  return starts.map(({ event }) => (event as EventMap['tool_call_started']).process as ProcessIdentity);
}

test('the start of a write names its process', async () => {
  const ruling = await rig.allow('faulty_write', 'named', { act: 'answer' });
  await rig.end(ruling);
  const [place] = await placesOf(ruling);
  expect(place?.pid).not.toBe(process.pid);
  expect(isKnownDead(place as ProcessIdentity)).toBe(false);
});

test('a write whose process ends between its start and its run is restarted in another process, and runs there', async () => {
  const before = await rig.allow('faulty_write', 'before', { act: 'answer' });
  await rig.end(before);
  const [place] = (await placesOf(before)) as [ProcessIdentity];
  const refused = log.refused;
  log.refuses = (record) => record.headers.event_type === 'tool_call_started';
  const ruling = await rig.allow('faulty_write', 'given back', { act: 'answer' });
  await rig.until(() => log.refused > refused);
  process.kill(place.pid, 'SIGKILL');
  await rig.until(() => isKnownDead(place));
  log.refuses = () => false;
  expect((await rig.end(ruling)).event.outcome).toMatchObject({ status: 'succeeded', effect: 'happened' });
  const places = await placesOf(ruling);
  expect(places[0]).toEqual(place);
  expect(isKnownDead(places.at(-1) as ProcessIdentity)).toBe(false);
});
