import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { scrub } from './scrub.js';

const run = (of: object) => ({
  run_id: 'r',
  views: true,
  status: 'running',
  started_at: new Date(Date.now() - 10_000).toISOString(),
  records: 0,
  records_total: 1_000,
  rows: 0,
  damages: 0,
  found: [],
  fault: null,
  ...of,
});
let answers: object[] = [];
let requests: string[] = [];
let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      requests.push(`${request.method} ${request.url} ${body}`.trim());
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answers.shift()));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise<void>((closed) => void server.close(() => closed())));

async function scrubbed(given: object[], ...args: string[]) {
  [answers, requests] = [given, []];
  const printed: string[] = [];
  const writing = vi.spyOn(process.stderr, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  try {
    return { ...(await scrub.run([...args, '--url', url, '--key', 'k'], {})), printed: printed };
  } finally {
    writing.mockRestore();
  }
}

test('shows its progress, and exits with 0 without damage', async () => {
  const { code, lines, printed } = await scrubbed(
    [run({ started_at: null }), run({ started_at: null }), run({ records: 250 }), run({ status: 'ended', records: 1_000, rows: 70 })],
    '--views',
  );
  expect([code, lines]).toEqual([0, ['no damage: 1000 records and 70 rows were compared with what was signed']]);
  expect(requests).toEqual(['POST /v1/scrubs {"views":true}', 'GET /v1/scrubs/r', 'GET /v1/scrubs/r', 'GET /v1/scrubs/r']);
  const shown = printed.join('\n');
  expect(shown).toContain('waiting for the projector that signs the checkpoints');
  expect(shown).toMatch(/\[#{7}\.{23}\] {2}25\.0 % {2}250 of 1000 records, \d+\/s, \d+ s left/);
});

test('exits with 1 on damage, with what, where and what to do', async () => {
  const found = ['rows  tool-executed/1, tenant acme  tool_executions, key k attempt 1: it has no row, the log has its start'];
  const { code, lines } = await scrubbed([run({}), run({ status: 'ended', records: 1_000, rows: 70, damages: 3, found })], '--views');
  expect(code).toBe(1);
  expect(lines.slice(0, 3)).toEqual([
    'DAMAGED: 3 places differ from what was signed; 1000 records and 70 rows were compared',
    found[0],
    'and 2 more',
  ]);
  expect(lines.join('\n')).toContain('accept-damage');
});

test('exits with 1 if something could not be compared, and with 2 on wrong usage', async () => {
  const { code, lines } = await scrubbed([run({}), run({ status: 'ended', fault: 'Error: no disk' })]);
  expect([code, lines]).toEqual([1, ['the comparison is incomplete: Error: no disk']]);
  expect((await scrub.run(['everything'], {})).code).toBe(2);
});
