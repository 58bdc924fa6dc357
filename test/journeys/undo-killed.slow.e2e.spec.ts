import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Envelope } from './api.js';
import { CrashingPlatform } from './crashing-platform.js';

const ENDS_WITHIN_MS = 200_000;
const settled = ({ status }: Envelope) => ['succeeded', 'failed', 'in_doubt'].includes(status);

type Move = Envelope & { compensates: string | null };

interface Saga {
  saga_id: string;
  status: string;
  tickets: { ticket: string }[];
}

const ENDS = ['compensated', 'compensation_failed'];

/** Moves of files, and their undo on a platform that dies meanwhile. */
class KilledUndos {
  platform!: CrashingPlatform;

  async open(): Promise<void> {
    this.platform = await CrashingPlatform.start();
  }

  async close(): Promise<void> {
    await this.platform?.close();
  }

  async moved(source: string, destination: string): Promise<string> {
    const { body } = await this.platform.admin.call({ tool: 'move_file', inputs: { source, destination } });
    expect(body.status).toBe('succeeded');
    return body.call_id;
  }

  /** The undos of these calls. */
  async undosOf(call_ids: readonly string[]): Promise<Move[]> {
    const { body } = await this.platform.admin.request<{ items: Move[] }>('GET', '/v1/calls?tool=move_file&limit=200&expand=*');
    return body.items.filter(({ compensates }) => compensates !== null && call_ids.includes(compensates));
  }

  /** Undoes a move while the platform dies at this point, and starts it again. */
  async undoneAcrossCrash(point: string, name: string): Promise<Envelope> {
    this.platform.write(name, name);
    const call_id = await this.moved(name, `${name}-moved`);
    const before = this.platform.admin;
    const url = `/v1/calls/${call_id}/undo`;
    const { preview_digest } = (await before.request<{ preview_digest: string }>('GET', url)).body;
    await this.platform.arm(point);
    await before.request('POST', url, { preview_digest }).catch(() => undefined);
    await this.platform.againAfterCrash();
    // The same request again is the same call, whatever its outcome.
    const api = this.platform.admin;
    const again = await api.request('POST', url, { preview_digest });
    const undos = await this.undosOf([call_id]);
    expect([again.status < 500, undos.length]).toEqual([true, 1]);
    return api.callUntil((undos[0] as Envelope).call_id, settled, 40_000);
  }

  /** Undoes these calls while the platform dies, and starts it again. The request is sent a second time only if it was lost. */
  async selectionAcrossCrash(point: string, call_ids: readonly string[]): Promise<Saga> {
    const earlier = new Set((await this.sagas()).map(({ saga_id }) => saga_id));
    const undo = { url: '/v1/calls:undo', call_ids };
    const before = this.platform.admin;
    const { preview_digest } = (await before.request<{ preview_digest: string }>('POST', undo.url, { call_ids, preview: true })).body;
    await this.platform.arm(point);
    await before.request('POST', undo.url, { call_ids, preview_digest }).catch(() => undefined);
    await this.platform.againAfterCrash();
    const found = async () => (await this.sagas()).filter(({ saga_id }) => !earlier.has(saga_id));
    const api = this.platform.admin;
    if ((await found()).length === 0) await api.request('POST', undo.url, { call_ids, preview_digest });
    for (const end = performance.now() + ENDS_WITHIN_MS; ; await sleep(100)) {
      const [one, ...others] = await found();
      expect(others).toEqual([]);
      if (one && ENDS.includes(one.status)) return (await api.request<Saga>('GET', `/v1/sagas/${one.saga_id}`)).body;
      if (performance.now() > end) throw new Error(`the undo does not end: ${JSON.stringify(one)}`);
    }
  }

  private async sagas(): Promise<Saga[]> {
    return (await this.platform.admin.request<{ items: Saga[] }>('GET', '/v1/sagas?limit=100')).body.items;
  }
}

describe.concurrent('the undo of a call', () => {
  const at = new KilledUndos();
  beforeAll(() => at.open());
  afterAll(() => at.close());

  test.sequential.each([
    'policy.after_ruling',
    'executor.after_claim',
    'executor.after_started',
    'executor.after_effect',
    'executor.after_end',
  ])('an undo during which the platform is killed at %s happens at most once, and its end says what is known', async (point) => {
    const name = point.replace('.', '-');
    const undo = await at.undoneAcrossCrash(point, name);
    const [back, moved] = [at.platform.has(name), at.platform.has(`${name}-moved`)];
    expect([back, moved].filter(Boolean)).toHaveLength(1);
    expect(at.platform.read(back ? name : `${name}-moved`)).toBe(name);
    // What never ran may still run; what may have happened is never sent again.
    if (undo.status === 'succeeded') expect(back).toBe(true);
    else expect(undo.status).toBe('in_doubt');
  });
});

const MOVES = [
  ['a1', 'a2'],
  ['a2', 'a3'],
  ['c1', 'c2'],
  ['d1', 'd2'],
] as const;

const points = (name: string, passes: readonly number[]) => passes.map((pass) => `${name}:${pass}`);
/**
 * The saga has four undos: two on one file, two on files of their own. Killed between effect and end, the outcome of one is looked for only after a
 * minute: that point has a platform of its own.
 */
const LANES = [
  points('executor.after_effect', [3]),
  [
    ...points('gateway.before_request', [1]),
    ...points('orchestrator.before_records', [1, 2, 3, 5, 8]),
    ...points('orchestrator.after_records', [1, 2, 4, 7]),
    ...points('policy.after_ruling', [1, 3]),
    ...points('executor.after_claim', [2]),
    ...points('executor.after_started', [2]),
    ...points('executor.after_effect', [1]),
    ...points('executor.after_end', [2]),
  ],
];

describe.concurrent.each(LANES.map((lane) => [lane.join(' '), lane] as const))('the undo of several calls: %s', (_, lane) => {
  const at = new KilledUndos();
  beforeAll(() => at.open());
  afterAll(() => at.close());
  let serial = 0;

  test.sequential.each(lane)(
    'an undo of several calls during which gateway and orchestrator are killed at %s: none twice, none lost',
    async (point) => {
      serial += 1;
      const own = (name: string) => `${serial}-${name}`;
      const names = ['a1', 'c1', 'd1'].map(own);
      for (const name of names) at.platform.write(name, name);
      const call_ids: string[] = [];
      for (const [source, destination] of MOVES) call_ids.push(await at.moved(own(source), own(destination)));
      const saga = await at.selectionAcrossCrash(point, call_ids);
      const undos = await at.undosOf(call_ids);
      expect(undos.map(({ compensates }) => compensates).sort()).toEqual([...call_ids].sort());
      expect(undos.every(settled)).toBe(true);
      // Every file is where it was, or the undo that may have moved it is in doubt and has a ticket.
      const there = names.filter((name) => at.platform.has(name) && at.platform.read(name) === name);
      if (saga.status === 'compensated') expect(there).toEqual(names);
      else expect([saga.tickets.some(({ ticket }) => ticket === 'compensation_failed'), there.length >= 2]).toEqual([true, true]);
    },
  );
});
