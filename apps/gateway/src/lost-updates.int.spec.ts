import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestGateway } from './testing/test-gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.open();
}, 60_000);
afterAll(async () => {
  await gateway.close();
}, 30_000);

const RIVALS = 5;
const kinds: [string, string, string, (n: number) => Record<string, unknown>][] = [
  ['a limit', 'PUT', '/v1/limits/raced', (n) => ({ kind: 'max_tool_calls', scope: 'run', max: n })],
  ['a table of facts', 'PUT', '/v1/facts/raced', (n) => ({ rows: [`row-${n}`] })],
  ['a row of a tool', 'PUT', '/v1/policies/tools/write_note', (n) => ({ tier: 'tier_1_auto', rule_id: `r-${n}` })],
];

test.each(kinds)('of concurrent changes to one version of %s, one succeeds and the others get 412', async (...of) => {
  const [, method, url, body] = of;
  const send = (n: number, headers: Record<string, string> = {}) => gateway.send(method, url, body(n), headers);
  const first = await send(0);
  expect(first.status).toBe(200);
  const tag = { 'if-match': first.headers.get('etag') as string };
  const answers = await Promise.all(Array.from({ length: RIVALS }, (_, n) => send(n + 1, tag)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(RIVALS - 1).fill(412)]);
  const taken = answers.find(({ status }) => status === 200);
  expect((await gateway.send('GET', url)).headers.get('etag')).toBe(taken?.headers.get('etag'));
  const plain = await Promise.all(Array.from({ length: RIVALS }, (_, n) => send(n + 10)));
  expect(new Set(plain.map(({ headers }) => headers.get('etag'))).size).toBe(RIVALS);
  const [one, other] = await Promise.all([
    gateway.send('DELETE', url, undefined, { 'if-match': (await gateway.send('GET', url)).headers.get('etag') as string }),
    gateway.send('DELETE', url, undefined, tag),
  ]);
  expect([one?.status, [404, 412].includes(other?.status ?? 0)]).toEqual([204, true]);
});

test('a patch of an older version of a table is refused, and no update is lost', async () => {
  const put = await gateway.send('PUT', '/v1/facts/patched', { rows: { a: 1 } });
  const tag = { 'if-match': put.headers.get('etag') as string };
  const patch = (key: string) => gateway.send('PATCH', '/v1/facts/patched', { set: { [key]: 2 } }, tag);
  const answers = await Promise.all([patch('b'), patch('c'), patch('d')]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
  expect(Object.keys((await gateway.send('GET', '/v1/facts/patched')).body.rows)).toHaveLength(2);
});
