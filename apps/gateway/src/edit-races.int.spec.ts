import { sampleContract } from '@countersign/calls/testing/samples';
import { contractPin, type EventMap, firstMeta } from '@countersign/contracts';
import type { LogRecord } from '@countersign/event-log';
import { foldConfiguration, systemClock } from '@countersign/process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuditEvents, type AuditWindow } from './audit/audit-events.js';
import { Refusals } from './audit/refusals.js';
import { RecordingReader } from './counterfactual/recording-reader.js';
import { type Answered, GatewaysOnOneLog } from './testing/gateways-on-one-log.js';

const ROUNDS = 3;
const VERSION = '/v1/tools/write_note/versions/1.2.0';
const pin = contractPin(sampleContract({ name: 'write_note' }));
const provider = (n: number) => ({ issuer: 'https://id.example', audiences: ['countersign'], roles_claim: `roles_${n}` });
const exchange = (n: number) => ({ token_endpoint: 'https://id.example/token', client_id: `c${n}`, client_secret: 'idp', audience: 'erp' });

type Edited = [what: string, method: string, url: string, body: (n: number) => unknown];

const personLink = (n: number) => ({
  one: { issuer: 'local', subject: 'somebody' },
  other: { issuer: 'https://idp.example.com', subject: 'somebody' },
  relation: n % 2 === 0 ? 'same' : 'different',
  reason: `reason ${n}`,
});

/** Every resource that can be edited in place. */
const edited: Edited[] = [
  ['a limit', 'PUT', '/v1/limits/raced', (n) => ({ kind: 'max_tool_calls', scope: 'run', max: n + 1 })],
  ['a table of facts', 'PUT', '/v1/facts/raced', (n) => ({ rows: [`row-${n}`] })],
  ['rows of a table', 'PATCH', '/v1/facts/patched', (n) => ({ set: { [`row-${n}`]: n } })],
  ['the policy of a tool', 'PUT', '/v1/policies/tools/write_note', (n) => ({ tier: 'tier_1_auto', rule_id: `r-${n}` })],
  ['a mapping', 'PUT', '/v1/mappings/write_note', (n) => ({ inputs: [], mode: n % 2 === 0 ? 'strict' : 'permissive' })],
  ['a tenant', 'PUT', '/v1/tenants/default', (n) => ({ weight: n + 1 })],
  ['the policy that rules', 'PUT', '/v1/policies/active', (n) => ({ version: n % 2 === 0 ? null : 'base' })],
  ['the settings of policies', 'PUT', '/v1/policies/settings', (n) => ({ simulation_required: n % 2 === 1 })],
  ['the lifecycle of a version', 'PUT', `${VERSION}/lifecycle`, (n) => ({ state: 'deprecated', reason: `reason ${n}` })],
  ['the pin of a version', 'PUT', `${VERSION}/pin`, () => ({ pin })],
  ['the audit of a version', 'PUT', `${VERSION}/audit`, (n) => ({ audit_status: 'self_assessed', report: `report ${n}` })],
  ['the pin of an adapter', 'PUT', '/v1/adapters/erp/environments/production', (n) => ({ adapter_version: `1.${n}.0` })],
  ['an identity provider', 'PUT', '/v1/identity-providers/corp', provider],
  ['a token exchange', 'PUT', '/v1/token-exchanges/erp', exchange],
  ['who is one person', 'PUT', '/v1/person-links/raced', personLink],
  ['what is personal', 'PUT', '/v1/personal-data/customers', (n) => ({ subjects: [`/customer_${n}`] })],
  ['the retention', 'PUT', '/v1/retention', (n) => ({ rules: [{ marking: null, months: n + 12 }] })],
  ['a secret', 'PUT', '/v1/secrets/workspace/api', (n) => ({ value: `a secret value ${n}` })],
];

let rig: GatewaysOnOneLog;
beforeAll(async () => {
  rig = await GatewaysOnOneLog.open(2, ['write_note']);
  await rig.ask(0, 'POST', '/v1/policies', { version: 'base', rules: [] });
}, 60_000);
afterAll(() => rig.close());

const sorted = (answers: readonly Answered[]) => answers.map(({ status }) => status).sort();
const ok = (status: number) => status === 200 || status === 201;

test.each([
  ['/v1/retention', '/v1/retention', { rules: [{ marking: null, months: 12 }] }],
  ['/v1/policies/settings', '/v1/policies/settings', { simulation_required: false }],
  ['/v1/policies/active', '/v1/policies/active', { version: 'base' }],
  [VERSION, `${VERSION}/lifecycle`, { state: 'active' }],
])('an unset resource at %s is read and changed with its tag', async (read, url, body) => {
  const { etag } = await rig.ask(0, 'GET', read);
  const answers = await Promise.all([0, 1].map((n) => rig.ask(n, 'PUT', url, body, { 'if-match': etag as string })));
  expect([etag, sorted(answers)]).toEqual(['"c-1"', [200, 412]]);
});

test.each(edited)(
  'of two gateways that change %s with one If-Match, one answers 200 and the other 412',
  async (_what, method, url, body) => {
    let tag = (await rig.ask(0, method, url, body(0))).etag as string;
    expect(tag).toMatch(/^"/);
    for (let round = 1; round <= ROUNDS; round++) {
      const answers = await Promise.all([0, 1].map((n) => rig.ask(n, method, url, body(2 * round + n), { 'if-match': tag })));
      expect(sorted(answers)).toEqual([200, 412]);
      const refused = answers.find(({ status }) => status === 412) as Answered;
      expect(refused.body).toMatchObject({ type: 'urn:countersign:problem:precondition-failed', if_match: tag });
      tag = answers.find(({ status }) => ok(status))?.etag as string;
      for (const n of [0, 1]) expect((await rig.ask(n, method, url, body(99), { 'if-match': '"c99999999"' })).body.etag).toBe(tag);
    }
  },
);

test.each(edited)('two gateways that change %s without If-Match both succeed, one after the other', async (_what, method, url, body) => {
  const answers = await Promise.all([0, 1].map((n) => rig.ask(n, method, url, body(n))));
  expect(answers.every(({ status }) => ok(status))).toBe(true);
  expect(new Set(answers.map(({ etag }) => etag)).size).toBe(2);
});

const removable: Edited[] = [
  ['a limit', 'PUT', '/v1/limits/raced', (n) => ({ kind: 'max_tool_calls', scope: 'run', max: n + 1 })],
  ['a table of facts', 'PUT', '/v1/facts/raced', (n) => ({ rows: [`row-${n}`] })],
  ['the policy of a tool', 'PUT', '/v1/policies/tools/write_note', (n) => ({ tier: 'tier_1_auto', rule_id: `r-${n}` })],
  ['a mapping', 'PUT', '/v1/mappings/write_note', () => ({ inputs: [] })],
  ['an identity provider', 'PUT', '/v1/identity-providers/corp', provider],
  ['a token exchange', 'PUT', '/v1/token-exchanges/erp', exchange],
  ['who is one person', 'PUT', '/v1/person-links/raced', personLink],
  ['what is personal', 'PUT', '/v1/personal-data/customers', (n) => ({ subjects: [`/customer_${n}`] })],
  ['a secret', 'PUT', '/v1/secrets/workspace/api', (n) => ({ value: `a secret value ${n}` })],
];

test.each(removable)('removing %s that another gateway changed, or changing one that was recreated, is refused', async (...of) => {
  const [, method, url, body] = of;
  const first = (await rig.ask(0, method, url, body(0))).etag as string;
  const [changed, removed] = await Promise.all([
    rig.ask(0, method, url, body(1), { 'if-match': first }),
    rig.ask(1, 'DELETE', url, undefined, { 'if-match': first }),
  ]);
  expect([ok(changed.status), removed.status === 204].filter(Boolean)).toHaveLength(1);
  expect([changed.status, removed.status]).toContain(412);
  await rig.ask(1, 'DELETE', url);
  expect((await rig.ask(0, method, url, body(2), { 'if-match': first })).status).toBe(412);
  await rig.ask(0, method, url, body(0));
  expect((await rig.ask(1, method, url, body(3), { 'if-match': first })).status).toBe(412);
});

test('of two gateways with If-None-Match only one creates a resource', async () => {
  const answers = await Promise.all(
    [0, 1].map((n) => rig.ask(n, 'PUT', '/v1/facts/fresh', { rows: [`row-${n}`] }, { 'if-none-match': '*' })),
  );
  expect(sorted(answers)).toEqual([200, 412]);
  const tenants = await Promise.all([0, 1].map((n) => rig.ask(n, 'POST', '/v1/tenants', { tenant_id: 'new', weight: n + 1 })));
  expect(sorted(tenants)).toEqual([201, 409]);
  await rig.ask(0, 'PUT', '/v1/policies/settings', { simulation_required: false });
  const bundles = await Promise.all([0, 1].map((n) => rig.ask(n, 'POST', '/v1/policies', { rules: [], description: `d${n}` })));
  expect(sorted(bundles)).toEqual([201, 201]);
  expect(new Set(bundles.map(({ body }) => body.version)).size).toBe(2);
});

test('a webhook, a case and delegations have ETags, and a change needs the current one', async () => {
  const made = await rig.ask(0, 'POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/x' });
  const hook = `/v1/webhooks/${made.body.webhook_id}`;
  const hooks = await Promise.all(
    [0, 1].map((n) => rig.ask(n, 'PUT', hook, { url: `http://127.0.0.1:9/${n}` }, { 'if-match': made.etag as string })),
  );
  expect(sorted(hooks)).toEqual([200, 412]);
  const opened = await rig.ask(0, 'POST', '/v1/cases', { title: 'A trip' });
  const url = `/v1/cases/${opened.body.case_id}`;
  const cases = await Promise.all(
    [0, 1].map((n) => rig.ask(n, 'PATCH', url, { state: 'open', title: `trip ${n}` }, { 'if-match': opened.etag as string })),
  );
  expect(sorted(cases)).toEqual([200, 412]);
  const given = await rig.ask(0, 'POST', '/v1/delegations', { agent_id: 'bot' });
  const delegation = `/v1/delegations/${given.body.delegation_id}`;
  expect((await rig.ask(1, 'DELETE', delegation, undefined, { 'if-match': '"c0"' })).status).toBe(412);
  expect((await rig.ask(1, 'DELETE', delegation, undefined, { 'if-match': given.etag as string })).status).toBe(204);
  const list = (await rig.ask(1, 'GET', '/v1/identity-providers')).body.items as { etag: string }[];
  for (const { etag } of list) expect(etag).toMatch(/^"c\d+"$/);
});

/** The newest recorded change. */
async function newest(): Promise<{ event_id: string; based_on: unknown[] }> {
  const head = await rig.log.head('configuration-changed', 0);
  const [record] = await rig.log.read('configuration-changed', 0, head - 1, 1);
  const { event } = rig.codec.decode((record as LogRecord).value) as { event: EventMap['fact_table_set'] };
  return { event_id: event.meta.event_id, based_on: event.based_on ?? [] };
}

test('a refused change is on the log and in the audit as refused, and no gateway applies it', async () => {
  const tag = (await rig.ask(0, 'PUT', '/v1/facts/seen', { rows: ['a'] })).etag as string;
  const version = Number(/\d+/.exec(tag)?.[0]);
  const based_on = [{ item: 'facts/seen', version }];
  const fields = {
    table: 'seen',
    mode: 'replace' as const,
    removed: [],
    by: { kind: 'user' as const, id: 'eve', roles: [] },
    changed_at_ms: 1,
  };
  const write = async (event_id: string, row: string) => {
    const meta = { ...firstMeta('default', Date.now()), event_id };
    const value = rig.codec.encode('fact_table_set', { meta, ...fields, rows_json: JSON.stringify({ [row]: 1 }), based_on });
    const headers = { event_type: 'fact_table_set' };
    await rig.log.append([{ topic: 'configuration-changed', partition: 0, key: 'default', value, headers }]);
  };
  await write('taken', 'b');
  await write('lost', 'c');
  await write('taken', 'd');
  const configuration = foldConfiguration({ log: rig.log, codec: rig.codec });
  await configuration.start();
  const { log, codec, store } = rig;
  const events = new AuditEvents(
    { log, codec, store, clock: systemClock },
    new Set(['configuration-changed']),
    new Refusals(configuration),
  );
  const window = await events.window('default', { type: 'fact_table_set' });
  const { items } = await events.list('default', window as AuditWindow, 500);
  await configuration.close();
  expect(items.filter(({ actor }) => actor === 'user:eve').map(({ event_id, refused_because }) => [event_id, refused_because])).toEqual([
    ['taken', null],
    ['lost', 'base_moved'],
    ['taken', null],
  ]);
  for (const n of [0, 1]) expect((await rig.ask(n, 'GET', '/v1/facts/seen')).body.rows).toEqual({ b: 1 });
  const wanted = { tenant_id: 'default', lane: 'shared', rows: [], until_ms: Date.now(), shared_window_ms: undefined };
  const recorded = await new RecordingReader({ log, codec, store, clock: systemClock }).read(wanted);
  const kept = recorded?.configuration.filter(({ event }) => event.meta.event_id === 'taken' || event.meta.event_id === 'lost') ?? [];
  expect(kept.map(({ event }) => [event.meta.event_id, 'based_on' in event])).toEqual([['taken', false]]);
});

test('while an instance of an older build runs, changes are written without a base; afterwards with one', async () => {
  await rig.ask(0, 'PUT', '/v1/facts/mixed', { rows: ['a'] });
  expect((await newest()).based_on).toEqual([
    { item: 'facts/mixed', version: -1 },
    { item: 'fact_tables', version: expect.any(Number) },
  ]);
  const older = `INSERT INTO configuration_instances (instance_id, service, config_offset, seen_at_ms) VALUES ('policy-old', 'policy', 9e9, 9e15)`;
  await rig.store.query({ text: older, params: [] });
  const mixed = await rig.ask(0, 'PUT', '/v1/facts/mixed', { rows: ['b'] });
  expect([(await newest()).based_on, mixed.status]).toEqual([[], 200]);
  const late = await rig.ask(1, 'PUT', '/v1/facts/mixed', { rows: ['c'] }, { 'if-match': '"c0"' });
  expect(late.status).toBe(412);
  await rig.store.query({ text: `DELETE FROM configuration_instances WHERE instance_id = 'policy-old'`, params: [] });
  expect((await rig.ask(1, 'PUT', '/v1/facts/mixed', { rows: ['d'] }, { 'if-match': mixed.etag as string })).status).toBe(200);
  expect((await newest()).based_on).toHaveLength(1);
});
