import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DirectCalls } from './calls/direct-calls.js';
import { TestGateway } from './testing/test-gateway.js';

const DIRECT = '/v1/calls';
/** The same path for the router, which alone accepts queries. */
const ROUTED = '/v1/calls?';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.open();
}, 60_000);
afterAll(async () => {
  await gateway.close();
}, 30_000);

const note = (tool: string, more = {}) => ({ tool, inputs: { path: `direct-${tool}`, text: 'é\u{1F9FE}' }, ...more });
const gzipped = gzipSync(JSON.stringify(note('write_note')));
const numbered = (seq: number) => ({ context: { run_id: 'direct', seq } });

test.each([
  ['a call that succeeds', note('write_note', numbered(1)), {}, undefined],
  ['a call that waits for a person', note('ask_first', numbered(2)), {}, undefined],
  ['a denial', note('never', numbered(3)), {}, undefined],
  ['a body that is cut', '{"tool":"write_note"', {}, undefined],
  ['a body that is not JSON', 'tool=write_note', {}, undefined],
  ['a body with a prototype', '{"tool":"write_note","inputs":{},"__proto__":{"a":1}}', {}, undefined],
  [
    'a body nested deeply around a prototype',
    `{"tool":"write_note","inputs":${'['.repeat(70)}{"__proto__":1}${']'.repeat(70)}}`,
    {},
    undefined,
  ],
  ['a list', '[]', {}, undefined],
  ['unknown fields', note('write_note', { nonsense: 1 }), {}, undefined],
  ['an unknown tool', note('nobody'), {}, undefined],
  ['wrong inputs', { tool: 'write_note', inputs: { path: 7 } }, {}, undefined],
  ['another content type', 'x', { 'content-type': 'text/plain' }, undefined],
  ['a compressed body', gzipped, { 'content-encoding': 'gzip' }, undefined],
  ['another charset', note('write_note'), { 'content-type': 'application/json; charset=latin1' }, undefined],
  ['a key that is none', note('write_note'), {}, 'csk_nonsense'],
  ['a token that is none', note('write_note'), {}, 'nonsense'],
  ['a body that is too large', note('write_note', { occurrence: 'x'.repeat(1_100_000) }), {}, undefined],
])('%s is answered alike directly and through the router', async (_title, body, headers, key) => {
  // The first response to a call with its own id differs from those to its repeats.
  const named = { ...headers, 'x-request-id': 'one-request-id' };
  await gateway.send('POST', DIRECT, body, named, key);
  const direct = await gateway.send('POST', DIRECT, body, named, key);
  const routed = await gateway.send('POST', ROUTED, body, named, key);
  // The second response to a call with its own id may contain more about its approval.
  expect([direct.status, { ...direct.body, approval: null }]).toEqual([routed.status, { ...routed.body, approval: null }]);
  for (const name of ['content-type', 'location', 'www-authenticate', 'retry-after', 'accept-encoding', 'countersign-request-id'])
    expect([name, direct.headers.get(name)]).toEqual([name, routed.headers.get(name)]);
});

test('only the simplest form bypasses the router', () => {
  const direct = new DirectCalls({ admit: () => true, submit: () => undefined, fault: () => undefined }, () => undefined, 1_000);
  const headers = { 'content-type': 'application/json', 'content-length': '10', authorization: 'Bearer csk_x' };
  const takes = (more: object) => direct.takes({ method: 'POST', url: '/v1/calls', headers, ...more } as never);
  expect(takes({})).toBe(true);
  expect(takes({ headers: { ...headers, 'content-type': 'application/json; charset=utf-8' } })).toBe(true);
  expect(takes({ headers: { ...headers, 'content-encoding': 'identity' } })).toBe(true);
  for (const other of [
    { method: 'GET' },
    { url: '/v1/calls/' },
    { url: '/v1/calls?x=1' },
    { headers: { ...headers, 'content-length': '1001' } },
    { headers: { ...headers, 'content-length': '0' } },
    { headers: { ...headers, 'content-length': undefined, 'transfer-encoding': 'chunked' } },
    { headers: { ...headers, 'content-type': 'application/jsonp' } },
    { headers: { ...headers, 'content-type': 'application/json; charset=latin1' } },
    { headers: { ...headers, 'content-encoding': 'gzip' } },
    { headers: { ...headers, authorization: 'Bearer eyJ' } },
    { headers: { ...headers, authorization: undefined } },
  ])
    expect([other, takes(other)]).toEqual([other, false]);
});

test('a body may arrive byte by byte, and an aborted body affects no other request', async () => {
  const body = JSON.stringify(note('write_note', numbered(4)));
  const head = `POST /v1/calls HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.key}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  const leaves = connect(gateway.running.port, '127.0.0.1', () => leaves.write(head + body.slice(0, 20), () => leaves.destroy()));
  await new Promise((resolve) => leaves.once('close', resolve));
  const answer = await new Promise<string>((resolve, reject) => {
    let text = '';
    const socket = connect(gateway.running.port, '127.0.0.1', async () => {
      socket.setNoDelay(true).write(head);
      for (const byte of Buffer.from(body)) await new Promise((sent) => socket.write(Buffer.of(byte), sent));
    });
    socket.on('data', (data) => {
      text += data.toString();
    });
    socket.on('end', () => resolve(text)).on('error', reject);
  });
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
  expect(answer).toContain('"status":"succeeded"');
  expect(answer).toContain('é\u{1F9FE}');
});
