import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reliability } from './reliability.js';

const use = (tool: string) => ({ tool, version: '^1.0.0', inputs: {} });
const step = (name: string, ...tools: string[]) => {
  const [first = 'look', ...others] = tools;
  return { kind: 'step', name, use: use(first), ...(others.length > 0 ? { fallbacks: others.map(use) } : {}) };
};
const chain = (...blocks: object[]) => ({ name: 'chain', version: '1.0.0', wait_max_ms: 1_000, root: { kind: 'sequence', blocks } });
const five = chain(...['a', 'b', 'c', 'd', 'e'].map((name) => step(name, 'look', 'ask')));
const rates = { tools: { look: { reliability: 0.95, runs: 4_000 }, ask: { reliability: 0.9, runs: 40, p50_ms: 5, p99_ms: 9 } } };

let folder: string;
let server: Server;
let url: string;
let answers: Record<string, { status?: number; body: object }> = {};
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'reliability-'));
  server = createServer((request, response) => {
    const { status = 200, body } = answers[request.url ?? ''] ?? { status: 404, body: { detail: `nothing at ${request.url}` } };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await new Promise<void>((closed) => void server.close(() => closed()));
});

/** Saves a value, or a text as it is. */
function file(name: string, content: unknown): string {
  const place = path.join(folder, name);
  writeFileSync(place, typeof content === 'string' ? content : JSON.stringify(content));
  return place;
}
const predicted = async (...args: string[]) => {
  const { code, lines } = await reliability.run([...args, '--runs', '2000', '--url', url, '--key', 'k'], {});
  return { code, text: lines.join('\n') };
};
const offline = (definition: unknown, given: unknown = rates) => predicted(file('d.json', definition), '--rates', file('r.json', given));

test('five steps at .95 with a secondary at .90 give .975 against .774, and the simulation agrees', async () => {
  const { code, text } = await offline(five);
  expect(code).toBe(0);
  expect(text).toMatch(/R, completes without a person +0\.9752 /);
  expect(text).toMatch(/without fallbacks +0\.7738/);
  expect(text).toMatch(/simulated runs +2000 +seed 1/);
  expect(text).toContain('agrees with the prediction');
  expect(text).toContain('a /root/blocks/0/fallbacks/0: the rate of ask comes from only 40 runs');
  expect(text).not.toContain('the rate of look comes');
});

test('as JSON it has the same numbers, and runs 0 simulates nothing', async () => {
  const { code, lines } = await reliability.run(
    [file('d.json', five), '--rates', file('r.json', rates), '--json', '--runs', '0', '--seed', '7'],
    {},
  );
  const found = JSON.parse(lines.join('')) as { prediction: { reliability: number }; simulation: null; levels: object[] };
  expect([code, found.simulation, found.levels.length]).toEqual([0, null, 10]);
  expect(found.prediction.reliability).toBeCloseTo(0.97525, 5);
});

test('what the file of rates does not have is assumed, and each assumption is listed', async () => {
  const map = { kind: 'map', name: 'each', over: { from: '/inputs/ids' }, concurrency: 1, join: { kind: 'all' }, body: step('in', 'x') };
  const wait = { kind: 'wait', name: 'ask', wait: 'approval', subject: '?', timeout_ms: 5, on_timeout: 'fail' };
  const branch = { kind: 'branch', name: 'way', choices: [{ when: 'inputs.x', block: step('on', 'x') }] };
  const definition = { ...chain(map, wait, branch, { ...step('maybe', 'x'), when: 'inputs.y' }), deadline_ms: 1 };
  const { text } = await offline(definition, { tools: { look: { reliability: 1 }, other: { reliability: 0 } } });
  const whats = ['x has no runs: 0.9 is the default', 'counted as one item: set items.each', 'always answered: set answered.ask'];
  for (const what of [...whats, 'equally likely: set choices.way', 'condition is counted as true', 'the latency of x is unknown'])
    expect(text).toContain(what);
  const full = {
    tools: { x: { reliability: 1, p50_ms: 9, p99_ms: 9 } },
    choices: { way: [0.5] },
    items: { each: 3 },
    answered: { ask: 0.8 },
  };
  const known = (await offline(definition, full)).text;
  expect(known).toMatch(/R, completes without a person +0\.8000/);
  expect(known).toContain('later than the deadline');
});

test('a chain that is too large to simulate is predicted all the same', async () => {
  const nested = (level: number): object =>
    level === 0
      ? step('s')
      : { kind: 'map', name: `m${level}`, over: { from: '/inputs/x' }, concurrency: 1, join: { kind: 'all' }, body: nested(level - 1) };
  const items = Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`m${n}`, 1_000]));
  const { code, text } = await offline(chain(nested(5)), { ...rates, items });
  expect([code, text.includes('simulated runs')]).toEqual([0, false]);
  expect(text).toContain('/root: not simulated: one run may have 1');
});

const bomb = ['a0: &a0 [x]', ...Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(',')}]`)].join(
  '\n',
);

test.each<[string, unknown, unknown, string]>([
  ['an unknown field', chain({ ...step('a'), retries: 3 }), rates, 'a /root/blocks/0/retries: there is no such field'],
  ['no blocks', chain(), rates, '/root/blocks: a sequence has at least one block'],
  ['two steps of one name', chain(step('a'), step('a')), rates, 'a /root/blocks/1/name: the name a is already used'],
  ['no definition', [], rates, 'd.json cannot be used'],
  ['no JSON', '{', rates, 'is not JSON'],
  ['a prototype', '{"__proto__": {}}', rates, '/__proto__: the key __proto__'],
  ['deep nesting', '['.repeat(20_000) + ']'.repeat(20_000), rates, 'nested more than 64 levels'],
  ['a rate above 1', five, { tools: { look: { reliability: 1.01 } } }, '/tools/look/reliability: '],
  ['a rate below 0', five, { tools: { look: { reliability: -1 } } }, '/tools/look/reliability: '],
  [
    'more doubts than are left',
    five,
    { tools: { look: { reliability: 0.1, in_doubt: 0.2 } } },
    '/tools/look/in_doubt: is at most reliability',
  ],
  ['a p50 after the p99', five, { tools: { look: { reliability: 1, p50_ms: 2, p99_ms: 1 } } }, '/tools/look/p50_ms: is at most p99_ms'],
  ['rates of a map that is not there', five, { ...rates, items: { none: 3 } }, '/items/none: the definition has no map of this name'],
  [
    'shares of too many choices',
    chain({ kind: 'branch', name: 'x', choices: [{ when: 'a', block: step('a') }] }),
    { ...rates, choices: { x: [0.5, 0.5] } },
    'x /root/blocks/0: needs 1 shares',
  ],
])('%s is refused with its place', async (_what, definition, given, message) => {
  const { code, text } = await offline(definition, given);
  expect(text).toContain(message);
  expect(code).toBe(1);
});

test('files that are no documents are refused: a bomb, a folder, a device, a file that is too large or missing', async () => {
  expect((await predicted(file('b.yaml', bomb))).text).toContain('anchors are not taken');
  expect((await predicted(folder)).text).toContain('is not a file');
  expect((await predicted('/dev/zero')).text).toContain('is not a file');
  expect((await predicted(file('l.yaml', '#'.repeat(20_000)))).text).toContain('has 20000 bytes, at most 16384');
  expect(await predicted(path.join(folder, 'none.yaml'))).toMatchObject({ code: 1, text: expect.stringContaining('ENOENT') });
});

test('wrong usage exits with 2', async () => {
  const place = file('d.json', five);
  for (const args of [
    [],
    [place, place],
    [place, '--none'],
    [place, '--seed', '-1'],
    [place, '--default-rate', '1.5'],
    [place, '--runs', '1e9'],
  ])
    expect((await reliability.run(args, {})).code).toBe(2);
});

const schema = { type: 'object', properties: {}, additionalProperties: true };
const version = (name: string, more: object = {}) => ({
  ...{ name, version: '1.2.0', input_schema: schema, output_schema: schema, effect_class: 'read_internal', reversibility: 'reversible' },
  ...{ has_compensate: false, lifecycle: 'active', sla: null },
  ...more,
});
const served = () => ({
  '/v1/tools/look/versions': { body: { items: [version('look')] } },
  '/v1/tools/look/trust?version=1.2.0': { body: { reliability: { reported: 0.94 }, runs: { counted: 500 } } },
  '/v1/usage?group_by=tool&tool=look': { body: { items: [{ tool: 'look', in_doubt_rate: 0.02, p50_ms: 10, p99_ms: 40 }] } },
  '/v1/tools/new/versions': { body: { items: [version('new', { sla: { p50_ms: 1, p95_ms: 2, p99_ms: 3, availability: 0.99 } })] } },
  '/v1/tools/new/trust?version=1.2.0': { body: { tool: 'new' } },
  '/v1/usage?group_by=tool&tool=new': { body: { items: [] } },
});

test('versions, trust, doubts and latencies come from the server; a tool without runs has its declared availability', async () => {
  answers = served();
  const { code, text } = await predicted(file('d.json', chain(step('a', 'look', 'new'))));
  expect(text).toMatch(/a +1 +look +1\.2\.0 +0\.9600 +0\.939-0\.974 +500 +measured +0\.0200 +10 ms +40 ms/);
  expect(text).toMatch(/a +2 +new +1\.2\.0 +0\.9900 +- +- +declared +0\.0000 +1\.0 ms +3\.0 ms/);
  expect(text).toContain('new has no runs: 0.99 is its declared availability');
  expect(code).toBe(0);
});

test('a tool without runs has the availability and the p99 that the definition declares of the use', async () => {
  const declared = chain({ ...step('a'), use: { ...use('x'), availability: 0.97, p99_ms: 250 } });
  expect((await offline(declared)).text).toMatch(/a +1 +x +\^1\.0\.0 +0\.9700 +- +- +declared +0\.0000 +250 ms +250 ms/);
  answers = { ...served(), '/v1/tools/look/trust?version=1.2.0': { body: {} } };
  const online = chain({ ...step('a', 'new'), use: { ...use('new'), availability: 0.97 } });
  expect((await predicted(file('d.json', online))).text).toMatch(/new +1\.2\.0 +0\.9700 +- +- +declared/);
});

test('a definition whose tools do not exist is refused as when it is published; an unreadable usage report is a warning', async () => {
  answers = served();
  expect(await predicted(file('d.json', chain(step('a', 'none'))))).toMatchObject({
    ...{ code: 1, text: expect.stringContaining('a /root/blocks/0/use/tool: ') },
  });
  answers = { ...served(), '/v1/usage?group_by=tool&tool=look': { status: 403, body: { detail: 'needs the role operator' } } };
  expect((await predicted(file('d.json', chain(step('a'))))).text).toContain('doubts and latencies were not read: GET /v1/usage');
  answers = { ...served(), '/v1/tools/look/versions': { status: 500, body: { detail: 'broken' } } };
  expect(await predicted(file('d.json', chain(step('a'))))).toMatchObject({ code: 1, text: expect.stringContaining('500 broken') });
});
