import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Caller } from '@countersign/calls';
import Fastify, { type FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { afterEach, expect, test } from 'vitest';
import type { Problem } from '../http/problem.js';
import { type OutgoingReply, sendProblem } from '../http/reply.js';
import type { RequestAccess } from '../http/request-access.js';
import { RawConnection, until } from '../testing/raw-connection.js';
import { BodyAdmission } from './body-admission.js';
import { WINDOW_TICKS } from './body-pace.js';
import { admitBeforeBody, boundConnections, FurtherAddresses, serveRequests } from './bounded-server.js';
import { HttpBounds } from './http-bounds.js';
import { defaultHttpLimits, type HttpLimits } from './http-limits.js';

const MIB = 1_048_576;
const caller = { tenant_id: 'acme' } as Caller;
/** Accepts every request; a request with an `authorization` header only after 20 ms. */
const everybody = {
  admit: () => caller,
  prepare: ({ headers }) => (headers.authorization ? new Promise((resolve) => setTimeout(resolve, 20)) : undefined),
} satisfies Pick<RequestAccess, 'admit' | 'prepare'>;

interface Running {
  app: FastifyInstance;
  bounds: HttpBounds;
  port: number;
}

const running: Running[] = [];
const connections: RawConnection[] = [];
afterEach(async () => {
  for (const connection of connections.splice(0)) connection.close();
  for (const { app, bounds } of running.splice(0)) {
    await until(() => bounds.budget.bytes === 0 && bounds.connections.size === 0);
    bounds.close();
    await app.close();
  }
});

async function start(limits: Partial<HttpLimits>): Promise<Running> {
  const bounds = new HttpBounds({ ...defaultHttpLimits, ...limits }, new Registry());
  const app = Fastify({ bodyLimit: MIB, forceCloseConnections: true });
  admitBeforeBody(app, new BodyAdmission(everybody, bounds), everybody, () => false);
  // As Nest's exception filter does.
  app.setErrorHandler((problem, request, reply) => sendProblem(request, reply as OutgoingReply, problem as unknown as Problem));
  app.post('/', async ({ body }) => body);
  await app.ready();
  const routed = app.server.listeners('request') as Parameters<typeof serveRequests>[1][];
  app.server.removeAllListeners('request');
  boundConnections(app.server, bounds);
  serveRequests(app.server, (request, response) => {
    for (const serve of routed) serve(request, response);
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const one = { app, bounds, port: (app.server.address() as AddressInfo).port };
  running.push(one);
  return one;
}

async function connect({ port }: Running, from?: string): Promise<RawConnection> {
  const connection = await RawConnection.open(port, from);
  connections.push(connection);
  return connection;
}

test.each([
  ['a length', { 'content-length': 900_000 }, 'x'],
  ['chunks', { 'transfer-encoding': 'chunked' }, '1\r\nx\r\n'],
  ['a token that is checked first', { 'content-length': 900_000, authorization: 'Bearer x' }, 'x'],
])('a body with %s that stands still is cut, and its bytes are released', async (_title, headers, part) => {
  const server = await start({});
  const { bounds } = server;
  const slow = (await connect(server)).post('/', headers, part);
  await until(() => bounds.pace.size === 1);
  for (let tick = 0; tick < WINDOW_TICKS; tick++) bounds.pace.tick();
  await slow.answered();
  expect(slow.problem).toMatchObject({ status: 408, detail: expect.stringContaining('16000 bytes a second'), retryable: true });
  await slow.untilClosed();
  await until(() => bounds.budget.bytes === 0);
  expect(bounds.pace.size).toBe(0);
});

test('a cut body is not handled, even if the rest of it arrives', async () => {
  const server = await start({});
  const slow = (await connect(server)).post('/', { 'content-length': 4 }, '"a');
  await until(() => server.bounds.pace.size === 1);
  for (let tick = 0; tick < WINDOW_TICKS; tick++) server.bounds.pace.tick();
  slow.socket.write('b"');
  await slow.answered();
  expect(slow.statuses).toEqual([408]);
});

test('bytes are reserved while a token is verified', async () => {
  const server = await start({ body_bytes_per_address_max: MIB });
  const headers = { 'content-length': 900_000, authorization: 'Bearer x' };
  const first = (await connect(server)).post('/', headers);
  await until(() => server.bounds.budget.bytes === 900_000);
  const second = await (await connect(server)).post('/', headers).answered();
  expect([first.statuses, second.problem]).toMatchObject([[], { status: 429, scope: 'address' }]);
});

test('a connection that closes while its token is verified leaves nothing reserved', async () => {
  const server = await start({});
  const aborted = (await connect(server)).post('/', { 'content-length': 900_000, authorization: 'Bearer x' });
  await until(() => server.bounds.budget.bytes === 900_000);
  aborted.close();
  await until(() => server.bounds.budget.bytes === 0);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(server.bounds.budget.counts.tenant.keys).toBe(0);
});

test('the response to an unread body announces the end of the connection, and arrives although the client sends first', async () => {
  const server = await start({});
  const large = (await connect(server)).post('/', { 'content-length': 10 * MIB }, 'x'.repeat(9 * MIB));
  await large.answered();
  expect(large.statuses).toEqual([413]);
  expect(large.text).toMatch(/^connection: close/im);
  await large.untilClosed();
  const nowhere = (await connect(server)).post('/nowhere', { 'content-length': MIB }, 'x'.repeat(MIB - 1));
  await nowhere.answered();
  expect([nowhere.statuses, /^connection: close/im.test(nowhere.text)]).toEqual([[404], true]);
  await nowhere.untilClosed();
});

test('a connection stays open after a refused body that is read to its end', async () => {
  const one = await connect(await start({}));
  await one.post('/', { 'content-length': 2 * MIB }, 'x'.repeat(2 * MIB)).answered();
  await one.post('/', { 'content-length': 2 }, '{}').answered(2);
  expect(one.statuses).toEqual([413, 200]);
});

test('behind a trusted proxy the client is the address that the proxy names, not the proxy or the header of the client', async () => {
  const server = await start({ body_bytes_per_address_max: MIB, connections_per_address_max: 1, trusted_proxies: ['127.0.0.1'] });
  const post = async (forwarded_for: string, from?: string) =>
    (await connect(server, from)).post('/', { 'content-length': 900_000, 'x-forwarded-for': forwarded_for });
  const held = await post('192.0.2.1');
  await until(() => server.bounds.budget.bytes === 900_000);
  const lying = await (await post('203.0.113.1, 192.0.2.1')).answered();
  expect(lying.problem).toMatchObject({ status: 429, scope: 'address' });
  await post('192.0.2.2');
  await until(() => server.bounds.budget.bytes === 1_800_000);
  expect(server.bounds.budget.counts.address.of('192.0.2.2')).toBe(900_000);
  // The untrusted proxy counts as the client itself.
  await post('192.0.2.3', '127.0.0.2');
  await until(() => server.bounds.budget.counts.address.of('127.0.0.2') === 900_000);
  expect(held.closed).toBe(false);
});

test('beyond the total cap a connection is closed at once, from any address', async () => {
  const server = await start({ connections_max: 3 });
  const open = await Promise.all(['127.0.0.1', '127.0.0.2', '127.0.0.3'].map((from) => connect(server, from)));
  await until(() => server.bounds.connections.size === 3);
  await (await connect(server, '127.0.0.4')).untilClosed();
  open[0]?.close();
  await until(() => server.bounds.connections.size === 2);
  const next = await (await connect(server)).post('/', { 'content-length': 2 }, '{}').answered();
  expect(next.statuses).toEqual([200]);
});

test('a connection that closes while its body waits leaves nothing behind', async () => {
  const server = await start({});
  const { bounds, app } = server;
  const request = (await connect(server)).post('/', { 'content-length': 900_000 });
  await until(() => bounds.budget.bytes === 900_000);
  const raw = await new Promise<Parameters<HttpBounds['inTurn']>[0]>((resolve) => {
    app.server.once('request', resolve);
    void connect(server).then((next) => next.post('/', { 'content-length': 900_000 }));
  });
  const handled: string[] = [];
  bounds.large.take('other', () => undefined);
  bounds.inTurn(raw, 'acme', 900_000, () => handled.push('acme'));
  expect(bounds.large.size).toBe(1);
  raw.socket.destroy();
  await until(() => bounds.large.size === 0);
  expect([handled, request.closed]).toEqual([[], false]);
});

test('one bounded server listens on every loopback address of `localhost`', async () => {
  const server: Server = createServer((_, response) => response.end('served'));
  const further = new FurtherAddresses(server);
  const { first, others } = await FurtherAddresses.first('localhost');
  server.listen({ port: 0, host: first });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await further.listen(others.length > 0 ? others : ['127.0.0.2'], port, 16);
  for (const host of others.length > 0 ? others : ['127.0.0.2']) {
    const answer = await fetch(`http://${host.includes(':') ? `[${host}]` : host}:${port}/`);
    expect(await answer.text()).toBe('served');
  }
  further.close();
  server.closeAllConnections();
  server.close();
  expect(await FurtherAddresses.first('192.0.2.1')).toEqual({ first: '192.0.2.1', others: [] });
});
