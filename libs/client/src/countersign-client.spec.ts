import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
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

async function client(...steps: Step[]): Promise<{ client: CountersignClient; seen: string[] }> {
  const seen: string[] = [];
  server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    (steps.shift() ?? cut)(request, response);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { client: new CountersignClient({ url: `http://127.0.0.1:${port}`, key: 'k', patience_ms: 3000 }), seen };
}

const call = { tool: 'write_file', inputs: {} };

describe('the client', () => {
  test('sends the same call again after a lost connection and a 503', async () => {
    const { client: agent, seen } = await client(cut, answer(503, { title: 'away' }), answer(200, { status: 'succeeded', call_id: '0-a' }));
    expect(await agent.call(call)).toMatchObject({ kind: 'answered', envelope: { status: 'succeeded' } });
    expect(seen).toEqual(Array(3).fill('POST /v1/calls'));
  });

  test('polls a call that goes on after the answer', async () => {
    const { client: agent, seen } = await client(
      answer(202, { status: 'running', call_id: '0-a' }),
      answer(200, { status: 'running' }),
      answer(200, { status: 'failed' }),
    );
    expect(await agent.call(call)).toMatchObject({ envelope: { status: 'failed' } });
    expect(seen.slice(1)).toEqual(Array(2).fill('GET /v1/calls/0-a'));
  });

  test('does not repeat what was refused for good, and answers a waiting approval at once', async () => {
    const refused = await client(answer(404, { title: 'no such tool' }));
    expect(await refused.client.call(call)).toMatchObject({ kind: 'refused', problem: { status: 404 } });
    server?.close();
    const waiting = await client(answer(202, { status: 'pending_approval', call_id: '0-a' }));
    expect(await waiting.client.call(call)).toMatchObject({ envelope: { status: 'pending_approval' } });
  });

  test('gives up when patience ends', async () => {
    const { client: agent } = await client();
    expect(await agent.call(call)).toMatchObject({ kind: 'unreachable' });
  }, 10_000);
});
