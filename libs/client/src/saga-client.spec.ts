import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { CountersignClient } from './countersign-client.js';

type Step = (request: IncomingMessage, response: ServerResponse) => void;
let server: Server | undefined;
afterEach(() => server?.close());

const cut: Step = (request) => request.socket.destroy();
const answer =
  (status: number, body: object): Step =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const running = { saga_id: 'saga_1', status: 'running', ended_at: null };
const completed = { saga_id: 'saga_1', status: 'completed', ended_at: '2026-01-01T00:00:00Z' };

/** A client of a server that answers with these steps, and what it was sent. */
async function client(...steps: Step[]) {
  const seen: string[] = [];
  const keys: (string | undefined)[] = [];
  server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    keys.push(request.headers['idempotency-key'] as string | undefined);
    request.resume().on('end', () => (steps.shift() ?? cut)(request, response));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const { sagas } = new CountersignClient({ url: `http://127.0.0.1:${port}`, key: 'k', patience_ms: 3000 });
  return { sagas, seen, keys };
}
const request = { definition: { name: 'trip' } };

test('a start is sent again under one key after a lost connection and a 503, and then waits for the end', async () => {
  const { sagas, seen, keys } = await client(cut, answer(503, { title: 'unavailable' }), answer(202, running), answer(200, completed));
  expect(await sagas.start(request)).toEqual({ kind: 'answered', saga: completed });
  expect(seen).toEqual([...Array(3).fill('POST /v1/sagas'), 'GET /v1/sagas/saga_1']);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(new Set(keys.slice(0, 3)).size).toBe(1);
});

test('each start has its own key; a saga_id replaces it', async () => {
  const { sagas, keys } = await client(answer(201, completed), answer(201, completed), answer(201, completed));
  await sagas.start(request);
  await sagas.start(request);
  await sagas.start({ ...request, saga_id: 'mine' });
  expect([new Set(keys).size, keys[2]]).toEqual([3, undefined]);
});

test('a final refusal is returned at once, and a saga that does not end is returned as it is', async () => {
  const { sagas, seen } = await client(
    answer(409, { title: 'Conflict', reason: 'saga_id_taken' }),
    answer(200, { ...running, status: 'compensation_failed' }),
  );
  expect(await sagas.start(request)).toMatchObject({ kind: 'refused', problem: { status: 409, reason: 'saga_id_taken' } });
  expect(seen).toHaveLength(1);
  expect(await sagas.ended('saga_1', 200)).toMatchObject({ kind: 'answered', saga: { status: 'compensation_failed' } });
});

test('control and answers address their saga and step', async () => {
  const { sagas, seen } = await client(answer(200, running), answer(200, running));
  expect(await sagas.control('saga_1', 'done-by-hand', { step_id: 'pay', reason: 'cash' })).toMatchObject({ kind: 'answered' });
  expect(await sagas.answer('saga_1', 'ask[1]', { outcome: 'refused', reason: 'no' })).toMatchObject({ kind: 'answered' });
  expect(seen).toEqual(['POST /v1/sagas/saga_1/done-by-hand', 'POST /v1/sagas/saga_1/waits/ask%5B1%5D']);
});
