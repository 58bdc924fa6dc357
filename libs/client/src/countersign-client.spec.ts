import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { CountersignClient } from './countersign-client.js';

type Step = (request: IncomingMessage, response: ServerResponse) => void;
let server: Server | undefined;
afterEach(() => {
  server?.close();
});

const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Step =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const cut: Step = (request) => request.socket.destroy();

interface Sent {
  request_id: unknown;
  key: string | undefined;
}

async function client(...steps: Step[]): Promise<{ client: CountersignClient; seen: string[]; sent: Sent[] }> {
  const seen: string[] = [];
  const sent: Sent[] = [];
  server = createServer(async (request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const text = await readText(request);
    const key = request.headers['idempotency-key'] as string | undefined;
    if (text !== '') sent.push({ request_id: JSON.parse(text).context.request_id, key });
    (steps.shift() ?? cut)(request, response);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { client: new CountersignClient({ url: `http://127.0.0.1:${port}`, key: 'k', patience_ms: 3000 }), seen, sent };
}

const call = { tool: 'write_file', inputs: {} };

describe('the client', () => {
  test('repeats the same call after a lost connection and a 503', async () => {
    const { client: agent, seen } = await client(
      cut,
      answer(503, { title: 'unavailable' }),
      answer(200, { status: 'succeeded', call_id: '0-a' }),
    );
    expect(await agent.call(call)).toMatchObject({ kind: 'answered', envelope: { status: 'succeeded' } });
    expect(seen).toEqual(Array(3).fill('POST /v1/calls'));
  });

  test('keeps one request id across its own retries, creates a new one for each call, and sends no key by default', async () => {
    const done = answer(200, { status: 'succeeded', call_id: '0-a' });
    const { client: agent, sent } = await client(cut, answer(503, { title: 'unavailable' }), done, done);
    await agent.call(call);
    await agent.call(call);
    const [first, ...rest] = sent;
    expect(first).toEqual({ request_id: expect.stringMatching(/^[0-9a-f-]{36}$/), key: undefined });
    expect(rest.slice(0, 2)).toEqual([first, first]);
    expect(rest[2]?.request_id).not.toBe(first?.request_id);
    expect(call).toEqual({ tool: 'write_file', inputs: {} });
  });

  test('sends the given request id and key each time', async () => {
    const done = answer(200, { status: 'succeeded', call_id: '0-a' });
    const { client: agent, sent } = await client(cut, done, done);
    await agent.call(call, { idempotency_key: 'order-7', request_id: 'mine' });
    await agent.call({ ...call, context: { run_id: 'r', request_id: 'in the context' } });
    expect(sent).toEqual([
      { request_id: 'mine', key: 'order-7' },
      { request_id: 'mine', key: 'order-7' },
      { request_id: 'in the context', key: undefined },
    ]);
  });

  test('polls a call that continues after the response', async () => {
    const { client: agent, seen } = await client(
      answer(202, { status: 'running', call_id: '0-a' }),
      answer(200, { status: 'running' }),
      answer(200, { status: 'failed' }),
    );
    expect(await agent.call(call)).toMatchObject({ envelope: { status: 'failed' } });
    expect(seen.slice(1)).toEqual(Array(2).fill('GET /v1/calls/0-a'));
  });

  test('does not retry a final refusal, and returns a waiting approval at once', async () => {
    const refused = await client(answer(404, { title: 'no such tool' }));
    expect(await refused.client.call(call)).toMatchObject({ kind: 'refused', problem: { status: 404 } });
    server?.close();
    const waiting = await client(answer(202, { status: 'pending_approval', call_id: '0-a' }));
    expect(await waiting.client.call(call)).toMatchObject({ envelope: { status: 'pending_approval' } });
  });

  test('gives up when its time limit ends', async () => {
    const { client: agent } = await client();
    expect(await agent.call(call)).toMatchObject({ kind: 'unreachable' });
  });
});
