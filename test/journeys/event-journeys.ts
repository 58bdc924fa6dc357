import { CountersignClient, type TenantEvent } from '@countersign/client';
import { expect, test } from 'vitest';
import type { Api, Envelope } from './api.js';

type Change = Extract<TenantEvent, { event: 'change' }>;

/** A running installation with one or several gateways. */
export interface EventWorld {
  bases: readonly string[];
  admin: Api;
}

/** Reads events until one of them is the last. `cut`: leaves after so many changes. */
async function changesUntil(
  { base, key, cursor }: { base: string; key: string; cursor: string | undefined },
  isLast: (event: Change) => boolean,
  cut = Number.POSITIVE_INFINITY,
): Promise<Change[]> {
  const client = new CountersignClient({ url: base, key });
  const changes: Change[] = [];
  const kinds = ['call', 'saga', 'approval'] as const;
  for await (const event of client.events({ kinds, ...(cursor !== undefined && { cursor }) })) {
    if (event.event === 'reset') throw new Error(`the stream was reset: ${event.reason}`);
    if (event.event !== 'change') continue;
    changes.push(event);
    if (changes.length >= cut || isLast(event)) break;
  }
  return changes;
}

/** The cursor of now. */
async function now(base: string, key: string): Promise<string> {
  for await (const event of new CountersignClient({ url: base, key }).events()) return event.cursor;
  throw new Error('the stream did not start');
}

const placeOf = ({ change }: Change): string => `${change.kind} ${change.id} ${change.position}`;
const newest = (changes: readonly Change[]) => new Map(changes.map(({ change }) => [`${change.kind} ${change.id}`, change.status]));

/** Streams of the tenant on the whole platform: real policy, executor, orchestrator and projector. */
export function describeEventJourneys(at: () => EventWorld): void {
  let serial = 0;
  const write = (api: Api) => {
    const inputs = { path: `events-${++serial}.txt`, content: 'x', mode: 'overwrite' };
    return api.call({ tool: 'write_file', inputs });
  };

  test('a list that is read after an event shows what the event says, at every gateway', async () => {
    const { bases, admin } = at();
    const cursor = await now(bases[0] as string, admin.key);
    const made = await Promise.all(Array.from({ length: 5 }, () => write(admin)));
    const ids = new Set(made.map(({ body }) => body.call_id));
    const open = new Set(ids);
    const client = new CountersignClient({ url: bases[0] as string, key: admin.key });
    for await (const event of client.events({ kinds: ['call'], cursor })) {
      if (event.event !== 'change' || !ids.has(event.change.id)) continue;
      const { id, status } = event.change;
      for (const base of bases) {
        const answer = await fetch(`${base}/v1/calls?limit=100`, { headers: { authorization: `Bearer ${admin.key}` } });
        const { items } = (await answer.json()) as { items: Envelope[] };
        const listed = items.find(({ call_id }) => call_id === id);
        expect([listed?.status, 'succeeded']).toContain(status);
      }
      if (status === 'succeeded') open.delete(id);
      if (open.size === 0) break;
    }
  }, 60_000);

  test('a stream that is cut after each number of events misses nothing and repeats nothing', async () => {
    const { bases, admin } = at();
    const from = await now(bases[0] as string, admin.key);
    await admin.call({ tool: 'write_file', inputs: { path: 'events-saga.txt', content: 'x' } });
    const steps = [
      { id: 'one', tool: 'read_file', inputs: { path: 'events-saga.txt' } },
      { id: 'two', tool: 'write_file', inputs: { path: 'events-saga.txt', content: 'y', mode: 'overwrite' } },
    ];
    const definition = { name: 'events', version: '1.0.0', steps };
    const saga = await admin.request<{ saga_id: string }>('POST', '/v1/sagas', { definition }, { prefer: 'wait=30' });
    expect(JSON.stringify(saga.body)).toContain('saga_id');
    await Promise.all(Array.from({ length: 6 }, () => write(admin)));
    const last = (await write(admin)).body.call_id;
    const isLast = ({ change }: Change) => change.id === last && change.status === 'succeeded' && change.event_type === 'tool_executed';
    const whole = await changesUntil({ base: bases[0] as string, key: admin.key, cursor: from }, isLast);
    expect(newest(whole).get(`saga ${saga.body.saga_id}`)).toBe('completed');
    for (let cut = 1; cut < whole.length; cut++) {
      const first = await changesUntil({ base: bases[0] as string, key: admin.key, cursor: from }, isLast, cut);
      const rest = await changesUntil({ base: bases.at(-1) as string, key: admin.key, cursor: first.at(-1)?.cursor }, isLast);
      const both = first.some(isLast) ? first : [...first, ...rest];
      expect(new Set(both.map(placeOf)).size).toBe(both.length);
      expect(newest(both)).toEqual(newest(whole));
    }
  }, 60_000);
}
