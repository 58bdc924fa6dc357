import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Envelope } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';

let platform: EmbeddedPlatform;
beforeEach(async () => {
  platform = await EmbeddedPlatform.create();
});
afterEach(() => platform.close());

const file = (name: string) => path.join(platform.workspace, name);
const settled = ({ status }: Envelope) => ['succeeded', 'failed', 'in_doubt'].includes(status);

interface Undone {
  items: { undo_call_id: string | null; undone: boolean }[];
}

/** Undoes a move while the platform dies at this point, and starts it again. The move itself passes the point first. */
async function undoneAcrossCrash(point: string, name: string): Promise<Envelope> {
  await platform.up({ COUNTERSIGN_CRASH_AT: `${point}:2` });
  writeFileSync(file(name), name);
  const api = platform.admin();
  const { body: move } = await api.call({ tool: 'move_file', inputs: { source: name, destination: `${name}-moved` } });
  expect(move.status).toBe('succeeded');
  const url = `/v1/calls/${move.call_id}/undo`;
  const { preview_digest } = (await api.request<{ preview_digest: string }>('GET', url)).body;
  await api.request('POST', url, { preview_digest }).catch(() => undefined);
  await platform.process.exit();
  await platform.up();
  // The same request again is the same call, whatever its outcome.
  const again = await api.request<Undone>('POST', url, { preview_digest });
  const undos = (await api.request<{ items: Envelope[] }>('GET', '/v1/calls?tool=move_file&limit=50&expand=*')).body.items.filter(
    (call) => (call as Envelope & { compensates: string | null }).compensates === move.call_id,
  );
  expect([again.status < 500, undos.length]).toEqual([true, 1]);
  return api.callUntil((undos[0] as Envelope).call_id, settled, 40_000);
}

test.each(['policy.after_ruling', 'executor.after_claim', 'executor.after_started', 'executor.after_effect', 'executor.after_end'])(
  'an undo during which the platform is killed at %s happens at most once, and its end says what is known',
  async (point) => {
    const name = point.replace('.', '-');
    const undo = await undoneAcrossCrash(point, name);
    const [back, moved] = [existsSync(file(name)), existsSync(file(`${name}-moved`))];
    expect([back, moved].filter(Boolean)).toHaveLength(1);
    expect(readFileSync(file(back ? name : `${name}-moved`), 'utf8')).toBe(name);
    // What never ran may still run; what may have happened is never sent again.
    if (undo.status === 'succeeded') expect(back).toBe(true);
    else expect(undo.status).toBe('in_doubt');
  },
);

interface Saga {
  status: string;
  tickets: { ticket: string }[];
}

const ENDS = ['compensated', 'compensation_failed'];

/** Undoes these calls while the platform dies, and starts it again. The request is sent a second time only if it was lost. */
async function selectionAcrossCrash(call_ids: readonly string[]): Promise<Saga> {
  const before = platform.admin();
  const { preview_digest } = (await before.request<{ preview_digest: string }>('POST', '/v1/calls:undo', { call_ids, preview: true })).body;
  await before.request('POST', '/v1/calls:undo', { call_ids, preview_digest }).catch(() => undefined);
  await platform.process.exit();
  await platform.up();
  const api = platform.admin();
  const { items } = (await api.request<{ items: { saga_id: string }[] }>('GET', '/v1/sagas')).body;
  if (items.length === 0) await api.request('POST', '/v1/calls:undo', { call_ids, preview_digest });
  for (let attempt = 0; attempt < 600; attempt++) {
    const [saga] = (await api.request<{ items: (Saga & { saga_id: string })[] }>('GET', '/v1/sagas')).body.items;
    if (saga && ENDS.includes(saga.status)) return (await api.request<Saga>('GET', `/v1/sagas/${saga.saga_id}`)).body;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the undo does not end: ${JSON.stringify((await api.request('GET', '/v1/sagas')).body)}`);
}

async function moved(source: string, destination: string): Promise<string> {
  const { body } = await platform.admin().call({ tool: 'move_file', inputs: { source, destination } });
  expect(body.status).toBe('succeeded');
  return body.call_id;
}

const MOVES = [
  ['a1', 'a2'],
  ['a2', 'a3'],
  ['c1', 'c2'],
  ['d1', 'd2'],
] as const;

const points = (name: string, passes: readonly number[], passed_before = 0) => passes.map((pass) => `${name}:${pass + passed_before}`);
const N = MOVES.length;
/** The saga has four undos: two on one file, two on files of their own. Each move has passed the points of a call before. */
const POINTS = [
  ...points('gateway.before_request', [1], N),
  ...points('orchestrator.before_records', [1, 2, 3, 5, 8]),
  ...points('orchestrator.after_records', [1, 2, 4, 7]),
  ...points('policy.after_ruling', [1, 3], N),
  ...points('executor.after_claim', [2], N),
  ...points('executor.after_started', [2], N),
  ...points('executor.after_effect', [1, 3], N),
  ...points('executor.after_end', [2], N),
];

test.each(POINTS)(
  'an undo of several calls during which gateway and orchestrator are killed at %s: none twice, none lost',
  async (point) => {
    await platform.up({ COUNTERSIGN_CRASH_AT: point });
    for (const name of ['a1', 'c1', 'd1']) writeFileSync(file(name), name);
    const call_ids: string[] = [];
    for (const [source, destination] of MOVES) call_ids.push(await moved(source, destination));
    const saga = await selectionAcrossCrash(call_ids);
    const { items } = (await platform.admin().request<{ items: Envelope[] }>('GET', '/v1/calls?tool=move_file&limit=200&expand=*')).body;
    const undos = (items as (Envelope & { compensates: string | null })[]).filter(({ compensates }) => compensates !== null);
    expect(undos.map(({ compensates }) => compensates).sort()).toEqual([...call_ids].sort());
    expect(undos.every(settled)).toBe(true);
    // Every file is where it was, or the undo that may have moved it is in doubt and has a ticket.
    const there = ['a1', 'c1', 'd1'].filter((name) => existsSync(file(name)) && readFileSync(file(name), 'utf8') === name);
    if (saga.status === 'compensated') expect(there).toEqual(['a1', 'c1', 'd1']);
    else expect([saga.tickets.some(({ ticket }) => ticket === 'compensation_failed'), there.length >= 2]).toEqual([true, true]);
  },
);
