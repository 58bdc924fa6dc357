import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { move, read, saga, sequence } from '../sagas/blocks.js';
import type { Api } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';

let platform: EmbeddedPlatform;
beforeEach(async () => {
  platform = await EmbeddedPlatform.create();
});
afterEach(() => platform.close());

interface Saga {
  status: string;
  steps: { step_id: string; status: string | null; call_id: string | null }[];
}

const ENDED = new Set(['completed', 'compensated', 'compensation_failed', 'aborted']);
const file = (name: string) => path.join(platform.workspace, name);

/** Requests the saga under its id until the record has it: a crash may have lost the request. */
async function started(api: Api, saga_id: string, definition: object): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const answer = await api.request('POST', '/v1/sagas', { saga_id, definition, inputs: {} });
    if (answer.status < 300) return;
    expect([429, 503]).toContain(answer.status);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`saga ${saga_id} was not started`);
}

async function ended(api: Api, saga_id: string): Promise<Saga> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const { status, body } = await api.request<Saga>('GET', `/v1/sagas/${saga_id}`);
    if (status === 200 && ENDED.has(body.status)) return body;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { body } = await api.request<Saga>('GET', `/v1/sagas/${saga_id}`);
  throw new Error(`saga ${saga_id} did not end: ${JSON.stringify(body)}`);
}

/** Runs a saga that moves file `a` while the platform dies at this point, and starts it again. */
async function acrossCrash(point: string, definition: object): Promise<Saga> {
  await platform.up({ COUNTERSIGN_CRASH_AT: point });
  writeFileSync(file('a'), 'text');
  const before = platform.admin();
  await before.request('POST', '/v1/sagas', { saga_id: 'killed', definition, inputs: {} }).catch(() => undefined);
  await platform.process.exit();
  await platform.up();
  const api = platform.admin();
  await started(api, 'killed', definition);
  return ended(api, 'killed');
}

const FORWARD = saga(sequence(move('one', 'a', 'b'), move('two', 'b', 'c'), read('look', 'c')));
const BACK = saga(sequence(move('one', 'a', 'b'), move('two', 'b', 'c'), read('look', 'missing')));

const points = (name: string, passes: readonly number[]) => passes.map((pass) => `${name}:${pass}`);
/** The records of the forward saga are four appends, those of the one that is undone eight. */
const POINTS = [
  ...points('gateway.before_request', [1]),
  ...points('orchestrator.before_records', [1, 2, 4]),
  ...points('orchestrator.after_records', [1, 3]),
  ...points('policy.after_ruling', [1]),
  ...points('executor.after_claim', [1]),
  ...points('executor.after_started', [2]),
  ...points('executor.after_effect', [1, 2]),
  ...points('executor.after_end', [1]),
];

test.each(POINTS)('a saga during which the platform is killed at %s completes or is undone, and each step happens once', async (point) => {
  const found = await acrossCrash(point, FORWARD);
  const there = ['a', 'b', 'c'].map((name) => existsSync(file(name)));
  // A call that was killed before its effect fails, and then the saga is undone: never half of it.
  if (found.status === 'compensated') expect(there).toEqual([true, false, false]);
  else expect([found.status, ...there]).toEqual(['completed', false, false, true]);
});

test.each([...points('orchestrator.before_records', [5, 7]), ...points('orchestrator.after_records', [6, 8])])(
  'a saga during whose compensation the platform is killed at %s is undone',
  async (point) => {
    const found = await acrossCrash(point, BACK);
    expect(found.status).toBe('compensated');
    expect(['a', 'b', 'c'].map((name) => existsSync(file(name)))).toEqual([true, false, false]);
    expect(readFileSync(file('a'), 'utf8')).toBe('text');
  },
);
