import { listedTool } from '@countersign/domain/testing/upstream-history';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Answered, GatewaysOnOneLog } from '../testing/gateways-on-one-log.js';
import { UpstreamListings } from '../testing/upstream-listings.js';

const TOOLS = '/v1/upstreams/files/tools';
const ROUNDS = 3;

interface Item {
  tool: string;
  etag: string;
  version: string;
  pinned: { digest: string };
  listed: { digest: string } | null;
}

let rig: GatewaysOnOneLog;
beforeAll(async () => {
  rig = await GatewaysOnOneLog.open(2, []);
  await rig.ask(0, 'PUT', '/v1/upstreams/files', { url: 'https://files.example/mcp' });
  await lists(listedTool('add'), listedTool('find'), listedTool('read'));
}, 60_000);
afterAll(() => rig.close());

const itemsOf = ({ body }: Answered): Item[] => (body.items ?? []) as Item[];
const read = (n = 0) => rig.ask(n, 'GET', TOOLS);

/** An executor lists the upstream; both gateways have it then. */
async function lists(...definitions: ReturnType<typeof listedTool>[]): Promise<void> {
  const digests = await new UpstreamListings(rig, 'files').complete(...definitions);
  const known = (answer: Answered) => itemsOf(answer).filter(({ pinned, listed }) => digests.has((listed ?? pinned).digest)).length;
  for (const n of [0, 1]) await vi.waitFor(async () => expect(known(await read(n))).toBe(digests.size));
}

const classification = ({ tool, pinned, listed }: Item, n: number, more: object = {}) => ({
  tool,
  digest: (listed ?? pinned).digest,
  effect_class: 'commit_low',
  summary: `Declared in round ${n}.`,
  ...more,
});
const classify = (n: number, tools: readonly object[], headers: Record<string, string> = {}) =>
  rig.ask(n, 'POST', '/v1/upstreams/files/classifications', { tools }, headers);
const sorted = (answers: readonly Answered[]) => answers.map(({ status }) => status).sort();
const named = (items: readonly Item[], tool: string) => items.find((item) => item.tool === tool) as Item;

test('the tools of an upstream have an ETag, the same at both gateways; each classification and each listing with news changes it', async () => {
  const first = await read();
  expect(first.etag).toMatch(/^"/);
  expect([(await read(1)).etag, (await rig.ask(0, 'GET', `${TOOLS}?limit=1`)).etag]).toEqual([first.etag, first.etag]);
  const changed = await classify(0, [classification(named(itemsOf(first), 'read'), 0)], { prefer: 'wait=10' });
  expect(changed.status).toBe(200);
  const second = await read();
  await lists(listedTool('add'), listedTool('find'), listedTool('read', { description: 'Says something else.' }));
  const third = await read();
  expect(new Set([first.etag, second.etag, third.etag]).size).toBe(3);
  const tags = [first, second, third].map((answer) => itemsOf(answer).map(({ etag }) => etag));
  expect(tags.map(([add]) => add)).toEqual(Array(3).fill(tags[0]?.[0]));
  expect(new Set(tags.map(([, , reading]) => reading)).size).toBe(3);
});

test('of two gateways that classify with one If-Match, one answers 200 and the other 412 with the ETag there is', async () => {
  for (let round = 1; round <= ROUNDS; round++) {
    const { etag, ...seen } = await read();
    const item = named(itemsOf({ etag, ...seen }), 'add');
    const answers = await Promise.all(
      [0, 1].map((n) => classify(n, [classification(item, 2 * round + n)], { 'if-match': etag as string })),
    );
    expect(sorted(answers)).toEqual([200, 412]);
    const refused = answers.find(({ status }) => status === 412) as Answered;
    expect(refused.body).toMatchObject({ type: 'urn:countersign:problem:precondition-failed', if_match: etag });
    expect([refused.etag, refused.body.etag]).toEqual(Array(2).fill((await read()).etag));
  }
});

test('who looked at an earlier listing classifies nothing with its If-Match, also tools that did not change', async () => {
  const { etag, ...seen } = await read();
  await lists(listedTool('add'), listedTool('find', { description: 'Says something new.' }), listedTool('read'));
  const item = named(itemsOf({ etag, ...seen }), 'add');
  const late = await classify(1, [classification(item, 20)], { 'if-match': etag as string });
  expect([late.status, late.etag]).toEqual([412, (await read(1)).etag]);
  expect(named(itemsOf(await read()), 'add').etag).toBe(item.etag);
  expect((await classify(1, [classification(item, 20)])).status).toBe(200);
});

test('the ETag of a tool in the body guards that tool alone, and one that is late refuses all', async () => {
  const seen = itemsOf(await read());
  const [add, find] = [named(seen, 'add'), named(seen, 'find')];
  const with_tag = (item: Item, n: number) => classification(item, n, { etag: item.etag });
  expect((await classify(0, [with_tag(add, 30)])).status).toBe(200);
  const late = await classify(1, [with_tag(find, 31), with_tag(add, 31)]);
  expect(late.status).toBe(412);
  expect(late.body).toMatchObject({ validation: { issues: [{ path: '/tools/1/etag', code: 'changed' }] } });
  expect(named(itemsOf(await read()), 'find').etag).toBe(find.etag);
  expect((await classify(1, [with_tag(find, 31)])).status).toBe(200);
});

test('of two gateways that classify one tool with its ETag, one answers 200 and the other 412', async () => {
  for (let round = 1; round <= ROUNDS; round++) {
    const item = named(itemsOf(await read()), 'find');
    const of = (n: number) => classify(n, [classification(item, 40 + 2 * round + n, { etag: item.etag })]);
    expect(sorted(await Promise.all([of(0), of(1)]))).toEqual([200, 412]);
  }
});

test('a repeated request without a tag changes nothing and answers 200; with its old tag it is 412', async () => {
  const { etag, ...seen } = await read();
  const body = [classification(named(itemsOf({ etag, ...seen }), 'add'), 60)];
  expect((await classify(0, body, { 'if-match': etag as string })).status).toBe(200);
  const after = await read();
  expect((await classify(0, body)).status).toBe(200);
  expect((await read()).etag).toBe(after.etag);
  expect((await classify(0, body, { 'if-match': etag as string })).status).toBe(412);
});
