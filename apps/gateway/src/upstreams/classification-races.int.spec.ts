import { type EventMap, type EventType, firstMeta } from '@countersign/contracts';
import { decideListing, type ListingSeen, listedDefinition, type UpstreamListing } from '@countersign/domain';
import { listedTool } from '@countersign/domain/testing/upstream-history';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Answered, GatewaysOnOneLog } from '../testing/gateways-on-one-log.js';

const TENANT = 'default';
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

async function append<T extends EventType>(event_type: T, fields: Omit<EventMap[T], 'meta'>): Promise<void> {
  const value = rig.codec.encode(event_type, { meta: firstMeta(TENANT, Date.now()), ...fields } as unknown as EventMap[T]);
  await rig.log.append([{ topic: 'tool-registered', partition: 0, key: 'files', value, headers: { event_type } }]);
}

const itemsOf = ({ body }: Answered): Item[] => (body.items ?? []) as Item[];
const read = (n = 0) => rig.ask(n, 'GET', TOOLS);

/** An executor lists the upstream, as if for the first time; both gateways have it then. */
async function lists(...definitions: ReturnType<typeof listedTool>[]): Promise<void> {
  const result = {
    kind: 'complete' as const,
    definitions: definitions.map(listedDefinition),
    refused: [],
    server: 'files 1',
    protocol_version: '1',
  };
  const seen: ListingSeen = { upstream: 'files', revision: 1, place_revision: 1, listed_at_ms: Date.now(), executor_id: 'e', result };
  const records = decideListing(undefined as UpstreamListing | undefined, seen, { tools: 100, chars: 1_000_000 });
  for (const each of records?.definitions ?? []) await append('upstream_tool_listed', each);
  if (records) await append('upstream_listed', records.listed);
  const digests = new Set(records?.listed.tools.map(({ digest }) => digest));
  const has = (answer: Answered) =>
    itemsOf(answer).filter(({ pinned, listed }) => digests.has((listed ?? pinned).digest)).length === digests.size;
  for (const n of [0, 1]) await vi.waitFor(async () => expect(has(await read(n))).toBe(true));
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
