import { StandInViews } from '@countersign/calls/testing/stand-in-views';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { EventReader, type ReadEvent } from '../testing/event-reader.js';
import { GatewaysOnOneLog } from '../testing/gateways-on-one-log.js';

let installation: GatewaysOnOneLog;
let views: StandInViews;
const open: EventReader[] = [];
beforeAll(async () => {
  installation = await GatewaysOnOneLog.open(2, ['write_note', 'ask_first'], { partitions: 4 });
  views = new StandInViews(installation.log, installation.codec, installation.store);
  await views.start();
}, 60_000);
afterEach(() => {
  for (const reader of open.splice(0)) reader.close();
});
afterAll(async () => {
  await views.close();
  await installation.close();
}, 30_000);

async function read(gateway: number, last_id = '', query = '?kinds=call,approval'): Promise<EventReader> {
  const url = `http://127.0.0.1:${installation.gateways[gateway]?.port}/v1/events${query}`;
  const reader = await EventReader.open(url, installation.admin_key, last_id);
  open.push(reader);
  return reader;
}

let serial = 0;
async function call(gateway: number, tool = 'write_note'): Promise<string> {
  const answer = await installation.ask(
    gateway,
    'POST',
    '/v1/calls',
    { tool, inputs: { path: `p${serial++}`, text: 'x' } },
    { prefer: 'wait=5' },
  );
  return answer.body.call_id as string;
}

const changes = (events: readonly ReadEvent[]): ReadEvent[] => events.filter(({ event }) => event !== 'ready' && event !== 'reset');
const placeOf = ({ data }: ReadEvent): string => `${data.kind} ${data.id} ${data.position}`;
const newestOf = (events: readonly ReadEvent[]) => new Map(events.map(({ data }) => [`${data.kind} ${data.id}`, data.position]));
const ofCall =
  (id: string) =>
  ({ data }: ReadEvent) =>
    data.id === id && data.event_type === 'tool_executed';

describe('a stream that is cut', () => {
  test('resumes at either gateway after each of its events: nothing is lost, and nothing is sent twice', async () => {
    const first = await read(0);
    await first.until(1);
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) ids.push(await call(n % 2, n % 3 === 0 ? 'ask_first' : 'write_note'));
    const last = await call(0);
    await first.find(ofCall(last));
    const whole = [...first.events];
    const newest = newestOf(changes(whole));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(30), fc.nat(1)), { minLength: 1, maxLength: 3 }), async (cuts) => {
        const got: ReadEvent[] = [];
        let id = whole[0]?.id as string;
        for (const [at, gateway] of [...cuts, [Number.MAX_SAFE_INTEGER, 0] as const]) {
          const reader = await read(gateway, id);
          const seen = () => newestOf([...got, ...changes(reader.events)]);
          const isWhole = () => [...newest].every(([key, position]) => seen().get(key) === position);
          while (!isWhole() && changes(reader.events).length < at) await reader.until(reader.events.length + 1);
          const part = changes(reader.events).slice(0, at);
          reader.close();
          got.push(...part);
          id = part.at(-1)?.id ?? id;
        }
        expect(new Set(got.map(placeOf)).size).toBe(got.length);
        expect(newestOf(got)).toEqual(newest);
      }),
      { numRuns: 25 },
    );
  }, 60_000);

  test('resumes after its gateway restarted, at another one', async () => {
    const reader = await read(1);
    const [ready] = await reader.until(1);
    await installation.restart(1);
    const made = await call(0);
    const again = await read(1, ready?.id);
    const other = await read(0, ready?.id);
    expect((await again.find(ofCall(made))).data).toEqual((await other.find(ofCall(made))).data);
  }, 30_000);
});

test('both gateways send the same events', async () => {
  const readers = [await read(0), await read(1)];
  for (const reader of readers) await reader.until(1);
  const ids = [await call(0), await call(1), await call(0)];
  for (const reader of readers) {
    for (const id of ids) await reader.find(ofCall(id));
    expect(ids.filter((id) => reader.events.some(ofCall(id)))).toEqual(ids);
  }
});
