import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { projections } from './projections.js';

const REQUEST_OFFSET = 7;
const live = { version: 1, build: 'v1b2', asked_offset: REQUEST_OFFSET };
const building = (records: number) => ({
  build: 'v1b2',
  asked_offset: REQUEST_OFFSET,
  records,
  records_total: 1_000_000,
  started_at: new Date(Date.now() - 10_000).toISOString(),
});
/** The responses of the server about the projection, one per poll. */
const answers = [
  { live: null, building: null },
  { live: null, building: building(250_000) },
  { live: null, building: building(750_000) },
  { live, building: null },
];

let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.method === 'POST' ? { asked_offset: REQUEST_OFFSET } : answers.shift()));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise<void>((closed) => void server.close(() => closed())));

test('a long rebuild shows a bar, its pace and the estimated rest, until readers see the new rows', async () => {
  const printed: string[] = [];
  const writing = vi.spyOn(process.stderr, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  try {
    const { code, lines } = await projections.run(['rebuild', 'call', '--url', url, '--key', 'k'], {});
    expect([code, lines[0]]).toEqual([0, expect.stringMatching(/^call is live as v1b2 after \d+\.\d s$/)]);
  } finally {
    writing.mockRestore();
  }
  // On a terminal each line overwrites the previous one.
  const shown = printed
    .map((text) =>
      text
        .slice(text.indexOf('[K') + 1)
        .replace(/^K/, '')
        .trim(),
    )
    .filter((line) => line !== '');
  expect(shown[0]).toBe('waiting for the projector');
  expect(shown[1]).toMatch(/^\[#{7}\.{23}\] {2}25\.0 % {2}250000 of 1000000 records, \d+\/s, \d+ s left$/);
  expect(shown[2]).toMatch(/^\[#{22}\.{8}\] {2}75\.0 % {2}750000 of 1000000 records, \d+\/s, \d+ s left$/);
  const [first, then] = [shown[1], shown[2]].map((line) => Number(/(\d+) s left/.exec(line as string)?.[1]));
  expect(then).toBeLessThan(first as number);
});
