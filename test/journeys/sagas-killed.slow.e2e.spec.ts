import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { move, read, saga, sequence } from '../sagas/blocks.js';
import { CrashingPlatform } from './crashing-platform.js';

interface Saga {
  status: string;
  steps: { step_id: string; status: string | null; call_id: string | null }[];
}

const ENDED = new Set(['completed', 'compensated', 'compensation_failed', 'aborted']);
const ENDS_WITHIN_MS = 200_000;

/** Sagas that move a file twice, on a platform that dies meanwhile. */
class KilledSagas {
  platform!: CrashingPlatform;
  private serial = 0;

  async open(): Promise<void> {
    this.platform = await CrashingPlatform.start();
  }

  async close(): Promise<void> {
    await this.platform?.close();
  }

  /** Moves the first of three files to the third while the platform dies at this point, and starts it again. No other saga has these files. */
  async acrossCrash(point: string, look: 'found' | 'missing'): Promise<{ found: Saga; files: [string, string, string] }> {
    const saga_id = `killed-${++this.serial}`;
    const [a, b, c] = [`${saga_id}-a`, `${saga_id}-b`, `${saga_id}-c`] as const;
    const last = read('look', look === 'found' ? c : 'missing');
    const definition = saga(sequence(move('one', a, b), move('two', b, c), last));
    this.platform.write(a, 'text');
    await this.platform.arm(point);
    await this.request(saga_id, definition).catch(() => undefined);
    await this.platform.againAfterCrash();
    await this.started(saga_id, definition);
    return { found: await this.ended(saga_id), files: [a, b, c] };
  }

  private request(saga_id: string, definition: object) {
    return this.platform.admin.request('POST', '/v1/sagas', { saga_id, definition, inputs: {} });
  }

  /** Requests the saga under its id until the record has it: a crash may have lost the request. */
  private async started(saga_id: string, definition: object): Promise<void> {
    for (let attempt = 0; attempt < 50; attempt++) {
      const answer = await this.request(saga_id, definition);
      if (answer.status < 300) return;
      expect([429, 503]).toContain(answer.status);
      await sleep(200);
    }
    throw new Error(`saga ${saga_id} was not started`);
  }

  private async ended(saga_id: string): Promise<Saga> {
    const look = () => this.platform.admin.request<Saga>('GET', `/v1/sagas/${saga_id}`);
    for (const end = performance.now() + ENDS_WITHIN_MS; ; await sleep(100)) {
      const { status, body } = await look();
      if (status === 200 && ENDED.has(body.status)) return body;
      if (performance.now() > end) throw new Error(`saga ${saga_id} did not end: ${JSON.stringify(body)}`);
    }
  }
}

const points = (name: string, passes: readonly number[]) => passes.map((pass) => `${name}:${pass}`);
/**
 * The outcome of a move that was killed here is looked for only after a minute: each of these has a platform of its own, and they wait side
 * by side. The records of the forward saga are four appends, those of the one that is undone eight.
 */
const WITH_A_WAIT = [...points('executor.after_started', [2]), ...points('executor.after_effect', [1, 2])];
const POINTS = [
  ...points('gateway.before_request', [1]),
  ...points('orchestrator.before_records', [1, 2, 4]),
  ...points('orchestrator.after_records', [1, 3]),
  ...points('policy.after_ruling', [1]),
  ...points('executor.after_claim', [1]),
  ...points('executor.after_end', [1]),
];
const IN_COMPENSATION = [...points('orchestrator.before_records', [5, 7]), ...points('orchestrator.after_records', [6, 8])];

describe.concurrent.each([...WITH_A_WAIT.map((point) => [point]), POINTS].map((lane) => [lane.join(' '), lane] as const))(
  'on one platform: %s',
  (_, lane) => {
    const at = new KilledSagas();
    beforeAll(() => at.open());
    afterAll(() => at.close());

    test.sequential.each(lane)(
      'a saga during which the platform is killed at %s completes or is undone, and each step happens once',
      async (point) => {
        const { found, files } = await at.acrossCrash(point, 'found');
        const there = files.map((name) => at.platform.has(name));
        // A call that was killed before its effect fails, and then the saga is undone: never half of it.
        if (found.status === 'compensated') expect(there).toEqual([true, false, false]);
        else expect([found.status, ...there]).toEqual(['completed', false, false, true]);
      },
    );

    test.sequential.each(lane === POINTS ? IN_COMPENSATION : [])(
      'a saga during whose compensation the platform is killed at %s is undone',
      async (point) => {
        const { found, files } = await at.acrossCrash(point, 'missing');
        expect(found.status).toBe('compensated');
        expect(files.map((name) => at.platform.has(name))).toEqual([true, false, false]);
        expect(at.platform.read(files[0])).toBe('text');
      },
    );
  },
);
