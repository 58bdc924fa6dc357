import { afterEach, expect, test } from 'vitest';
import { CountersignClient } from './countersign-client.js';
import { EventBlocks } from './event-blocks.js';
import type { TenantEvent } from './tenant-events.js';
import { answer, cut, ScriptedGateway, type Step } from './testing/scripted-gateway.js';

let gateway: ScriptedGateway | undefined;
afterEach(() => gateway?.stop());

const change = (n: number) => `id: c${n}\nevent: call\ndata: {"kind":"call","id":"${n}"}\n\n`;
const ready = 'id: c0\nevent: ready\ndata: {"cursor":"c0","kinds":["call"]}\n\n';
/** Sends these texts and cuts the connection. */
const streamed =
  (...texts: string[]): Step =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('retry: 1000\n\n: still here\n\n');
    for (const text of texts) response.write(text);
    setImmediate(() => response.end());
  };

async function clientOf(...steps: Step[]): Promise<CountersignClient> {
  gateway = await ScriptedGateway.start(steps);
  return new CountersignClient({ url: gateway.url, key: 'k' });
}

async function take(events: AsyncIterable<TenantEvent>, count: number): Promise<TenantEvent[]> {
  const taken: TenantEvent[] = [];
  for await (const event of events) if (taken.push(event) === count) break;
  return taken;
}

test('a lost connection is opened again after the last id, also one without an event', async () => {
  const client = await clientOf(streamed(ready, change(1), 'id: c2\n\n'), cut, answer(503, {}), streamed(ready, change(3)));
  const events = await take(client.events({ kinds: ['call'] }), 3);
  expect(events.map(({ event, cursor }) => [event, cursor])).toEqual([
    ['ready', 'c0'],
    ['change', 'c1'],
    ['change', 'c3'],
  ]);
  expect(gateway?.lines[0]).toBe('GET /v1/events?kinds=call');
  expect(gateway?.seen.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'c2', 'c2', 'c2']);
});

test('a reset is passed on with its reason and the cursor after it', async () => {
  const reset = 'id: c9\nevent: reset\ndata: {"reason":"cursor_too_old"}\n\n';
  const client = await clientOf(streamed(reset, ready));
  const [event] = await take(client.events({ cursor: 'c1' }), 1);
  expect(event).toEqual({ event: 'reset', cursor: 'c9', reason: 'cursor_too_old' });
});

test('a refusal ends the iteration with its problem', async () => {
  const client = await clientOf(answer(401, { type: 'x', title: 'Unauthenticated', status: 401, code: 'AUTH_REQUIRED' }));
  await expect(take(client.events(), 1)).rejects.toMatchObject({ problem: { status: 401 } });
});

test('the signal ends the iteration', async () => {
  const client = await clientOf((_, response) => response.writeHead(200).write(ready));
  const left = new AbortController();
  const seen: string[] = [];
  for await (const { event } of client.events({ signal: left.signal })) {
    seen.push(event);
    left.abort();
  }
  expect(seen).toEqual(['ready']);
});

test('blocks are read however their text is split', () => {
  const text = 'id: 1\r\nevent: call\r\ndata: a\r\ndata: b\r\n\r\n: note\n\nid: 2\n\n';
  const blocks = new EventBlocks();
  const found = [...text].flatMap((letter) => blocks.take(letter));
  expect(found.filter(({ id }) => id !== undefined)).toEqual([
    { id: '1', event: 'call', data: 'a\nb' },
    { id: '2', event: undefined, data: undefined },
  ]);
});
