import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Caller, Refusal, type Timed } from '@countersign/calls';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Problem, problemDocument, problemHeaders, problemStatus } from '../http/problem.js';
import type { HttpReply, HttpRequest } from '../http/reply.js';
import type { EventStream } from './event-stream.js';
import { OpenStreams } from './open-streams.js';
import { StreamPlaces } from './stream-places.js';

const LIMITS = { gateway_max: 6, tenant_max: 4, principal_max: 2 };
const BEAT_MS = 15_000;
const AGE_MAX_MS = 60_000;

const callerOf = (tenant_id: string, id: string): Caller =>
  ({ tenant_id, issuer: 'local', principal: { kind: 'agent', id, roles: [] }, clearances: [] }) as unknown as Caller;

/** A timer that ticks only when a test calls it. */
class Turns {
  private readonly items = new Set<Timed>();
  waits = 0;
  add(item: Timed): void {
    this.waits++;
    this.items.add(item);
    item.slot = 1;
  }
  remove(item: Timed): void {
    this.items.delete(item);
    item.slot = null;
  }
  get idle(): boolean {
    return this.items.size === 0;
  }
  beatAll(): void {
    for (let group = 0; group < 60; group++)
      for (const item of [...this.items]) {
        this.remove(item);
        item.due();
      }
  }
}

let server: Server;
let port: number;
let turns: Turns;
let now_ms: number;
let revoked: Set<string>;
let metrics: Registry;
let open: OpenStreams;
let streams: EventStream[];
let refused: Problem[];
let delay: Promise<void> | undefined;

async function answer(request: IncomingMessage, response: never): Promise<void> {
  await delay;
  const [, tenant = '', id = ''] = (request.url ?? '').split('/');
  const reply = { raw: response, hijack: () => undefined } as unknown as HttpReply;
  const stream = open.open({ raw: request, headers: { authorization: id } } as unknown as HttpRequest, reply, callerOf(tenant, id), 'call');
  if (stream instanceof Refusal) {
    refused.push(stream);
    (response as { writeHead(status: number): { end(): void } }).writeHead(problemStatus(stream)).end();
  } else if (stream) streams.push(stream);
}

beforeEach(async () => {
  [turns, now_ms, revoked, metrics, streams, refused, delay] = [new Turns(), 0, new Set(), new Registry(), [], [], undefined];
  const json = {
    prepare: () => undefined,
    admit: ({ headers }: { headers: { authorization?: string } }) =>
      revoked.has(headers.authorization ?? '') ? new Refusal('unauthenticated', 'revoked') : callerOf('any', 'one'),
  };
  open = new OpenStreams(new StreamPlaces(LIMITS, metrics), json as never, turns, { monotonic_ms: () => now_ms, age_max_ms: AGE_MAX_MS });
  server = createServer((request, response) => void answer(request, response as never));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** A stream from the view of a client. */
class Client {
  text = '';
  ended = false;
  private constructor(
    readonly status: number,
    private readonly response: IncomingMessage,
  ) {
    response.setEncoding('utf8').on('data', (text: string) => {
      this.text += text;
    });
    response.on('close', () => {
      this.ended = true;
    });
    response.on('error', () => undefined);
  }
  static open(path: string): Promise<Client> {
    return new Promise((resolve, reject) =>
      httpRequest({ port, path, agent: false }, (response) => resolve(new Client(response.statusCode ?? 0, response)))
        .on('error', reject)
        .end(),
    );
  }
  leave(): void {
    this.response.destroy();
  }
}

const until = async (what: () => boolean | Promise<boolean>) => {
  while (!(await what())) await sleep(5);
};
const count = async (name: string, label = '') => {
  const line = (await metrics.metrics()).split('\n').find((text) => text.startsWith(name) && text.includes(label) && !text.startsWith('#'));
  return Number(line?.split(' ').at(-1) ?? 0);
};
const openNow = () => count('countersign_gateway_event_streams{', 'kind="call"');

describe('the limits of event streams', () => {
  test('apply to each principal and each tenant; a 429 names the limit and is counted', async () => {
    const statuses = async (...paths: string[]) => {
      const found: number[] = [];
      for (const path of paths) found.push((await Client.open(path)).status);
      return found;
    };
    expect(await statuses('/acme/a', '/acme/a', '/acme/a')).toEqual([200, 200, 429]);
    expect(await statuses('/acme/b', '/acme/b', '/acme/c')).toEqual([200, 200, 429]);
    expect(await statuses('/globex/a', '/globex/b', '/initech/a')).toEqual([200, 200, 503]);
    expect(refused.map(({ kind, more }) => [kind, more.scope, more.open, more.open_max])).toEqual([
      ['too-many-streams', 'principal', 2, 2],
      ['too-many-streams', 'tenant', 4, 4],
      ['unavailable', undefined, undefined, undefined],
    ]);
    const [first] = refused as [Problem];
    expect(problemHeaders(first)['retry-after']).toBe('5');
    expect(problemDocument(first, '/x')).toMatchObject({
      code: 'RATE_LIMIT',
      retryable: true,
      detail: expect.stringContaining('has 2 event streams open on this gateway; the maximum is 2'),
      validation: {
        issues: [{ code: 'streams_per_principal_max', message: expect.stringContaining('COUNTERSIGN_STREAMS_PER_PRINCIPAL_MAX') }],
      },
    });
    const refusals = 'countersign_gateway_event_streams_refused_total';
    expect([await count(refusals, 'principal'), await count(refusals, 'tenant'), await count(refusals, 'gateway')]).toEqual([1, 1, 1]);
    expect(await openNow()).toBe(6);
  });

  test('tenant and principal names cannot collide when combined', async () => {
    const places = new StreamPlaces({ ...LIMITS, principal_max: 1 }, new Registry());
    const callers = [callerOf('a', 'b","c'), callerOf('a","b', 'c'), callerOf('a', 'b')];
    expect(callers.map((caller) => places.take(caller, 'call'))).toEqual([undefined, undefined, undefined]);
  });

  test('a place is free again when the client leaves, when the stream ends, and when its connection is reset', async () => {
    const left = await Client.open('/acme/a');
    await Client.open('/acme/a');
    left.leave();
    await until(async () => (await openNow()) === 1);
    streams[1]?.end();
    await until(async () => (await openNow()) === 0);
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write('GET /acme/a HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(async () => (await openNow()) === 1);
    socket.resetAndDestroy();
    await until(async () => (await openNow()) === 0);
    expect(turns.idle).toBe(true);
  });

  test('a client that left before its stream was opened uses no place', async () => {
    let go: () => void = () => undefined;
    delay = new Promise((resolve) => {
      go = resolve;
    });
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    let seen = 0;
    server.on('request', () => seen++);
    socket.write('GET /acme/a HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => seen === 1);
    socket.resetAndDestroy();
    await until(async () => new Promise<boolean>((resolve) => server.getConnections((_, open_now) => resolve(open_now === 0))));
    go();
    await sleep(20);
    expect([streams.length, await openNow()]).toEqual([0, 0]);
  });

  test('streams that are pipelined on one connection release their places with it', async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write('GET /acme/a HTTP/1.1\r\nHost: x\r\n\r\nGET /acme/a HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(async () => (await openNow()) === 2);
    socket.destroy();
    await until(async () => (await openNow()) === 0);
  });
});

describe('the heartbeat', () => {
  test('reaches every stream, from one timer however many there are', async () => {
    const clients = [await Client.open('/acme/a'), await Client.open('/acme/b'), await Client.open('/globex/a')];
    expect(turns.waits).toBe(1);
    turns.beatAll();
    await until(() => clients.every(({ text }) => text.includes(': still here')));
    expect(turns.waits).toBe(61);
  });

  test('ends streams whose credential is no longer valid, and no others', async () => {
    const [closed, open] = [await Client.open('/acme/a'), await Client.open('/acme/b')];
    revoked.add('a');
    turns.beatAll();
    await until(() => closed.ended);
    expect([closed.text.includes('"reason":"credential_ended"'), open.ended, await openNow()]).toEqual([true, false, 1]);
  });

  test('ends a stream that is too old, so that its client reconnects', async () => {
    const client = await Client.open('/acme/a');
    now_ms = AGE_MAX_MS - 1;
    turns.beatAll();
    expect(streams[0]?.over).toBe(false);
    now_ms = AGE_MAX_MS;
    turns.beatAll();
    await until(() => client.ended);
    expect(client.text).toContain('"reason":"max_age"');
    expect(await count('countersign_gateway_event_streams_closed_total', 'max_age')).toBe(1);
  });

  test('a connection that reads nothing, for example half open, holds its place for a bounded time', async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write('GET /acme/a HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => streams.length === 1);
    socket.pause();
    // Exceeds the buffers of both sockets.
    while (!streams[0]?.over) {
      streams[0]?.write('x'.repeat(200_000));
      await sleep(1);
    }
    expect(await openNow()).toBe(1);
    now_ms = AGE_MAX_MS + 2 * BEAT_MS;
    turns.beatAll();
    await until(async () => (await openNow()) === 0);
    socket.destroy();
  });

  test('a gateway that stops notifies its readers', async () => {
    const client = await Client.open('/acme/a');
    open.close();
    await until(() => client.ended);
    expect(client.text).toContain('"reason":"shutdown"');
  });
});
