import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exchange } from './exchange.js';

const LARGE = Buffer.alloc(1024 * 1024, 'x');
const reached: string[] = [];

/** What a broken or hostile business system may answer, by path. */
const answers: Record<string, RequestListener> = {
  '/redirect': (_request, response) => response.writeHead(307, { location: '/elsewhere' }).end(),
  '/elsewhere': (_request, response) => response.end('{}'),
  '/endless': (_request, response) => {
    const more = () => {
      while (response.write(LARGE));
    };
    response.on('drain', more);
    more();
  },
  '/cut': (_request, response) => response.destroy(),
  '/silent': () => undefined,
};
const server: Server = createServer((request, response) => {
  reached.push(request.url as string);
  answers[request.url as string]?.(request, response);
});
let base: string;

beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  base = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const sent = (path: string, signal = AbortSignal.timeout(5_000)) =>
  exchange(new URL(path, base), { authorization: 'bearer key' }, '{}', signal);

test('a redirect is not followed: the key goes to no other place', async () => {
  await expect(sent('/redirect')).rejects.toMatchObject({ code: 'NETWORK_ERROR', more: { effect: 'unknown' } });
  expect(reached).not.toContain('/elsewhere');
});

test('an endless answer is given up at a bounded size', async () => {
  await expect(sent('/endless')).rejects.toMatchObject({ code: 'PROVIDER_ERROR', message: expect.stringContaining('too large') });
});

test('a connection that is cut says nothing about the effect', async () => {
  await expect(sent('/cut')).rejects.toMatchObject({ code: 'NETWORK_ERROR', more: { effect: 'unknown' } });
});

test('a request that is given up while it waits ends as TIMEOUT, whose effect is unknown', async () => {
  const error = await sent('/silent', AbortSignal.timeout(100)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'TIMEOUT' });
  expect((error as { more: object }).more).not.toMatchObject({ effect: 'none' });
});

test('a request that is given up before it is sent, or whose connection is refused, had no effect', async () => {
  await expect(sent('/silent', AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED', more: { effect: 'none' } });
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as { port: number };
  closed.close();
  await once(closed, 'close');
  const nowhere = exchange(new URL(`http://127.0.0.1:${port}`), {}, '{}', AbortSignal.timeout(5_000));
  await expect(nowhere).rejects.toMatchObject({ code: 'NETWORK_ERROR', more: { effect: 'none' } });
});
