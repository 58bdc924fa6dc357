import { AnsweredPositions, CallSealer, Views } from '@countersign/calls';
import { initialConfiguration } from '@countersign/domain';
import { insertCaseHistory, PgliteStore, stableTables, upsertCases } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { OpenStreams } from '../streams/open-streams.js';
import { FeatureApp } from '../testing/feature-app.js';
import { CaseFeeds } from './case-feed.js';
import { CasesModule } from './cases.module.js';

const AT_MS = 1_700_000_000_000;
const written: object[] = [];
/** The configuration of a tenant, whose changes are only written down. */
const configuration = {
  state: initialConfiguration(),
  clock: { now_ms: () => AT_MS },
  edits: { etag: () => '"c1"' },
  writer: {
    set: async (_tenant: string, _type: string, fields: object) => {
      written.push(fields);
      return { topic: 'configuration-changed', partition: 0, offset: written.length };
    },
  },
};

let store: PgliteStore;
let app: FeatureApp;
beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
  const of = { tenant_id: 'acme', case_id: 'case_1' };
  const own = { external_id: 'PO-1', metadata_json: '{"region":"eu","row":"7"}' };
  const row = { ...of, title: 'Orders', ...own, state: 'open' as const, opened_at_ms: AT_MS, changed_at_ms: AT_MS, source_offset: 1 };
  await store.query(stableTables(['cases']).bind(upsertCases([row])));
  const line = { ...of, hlc: 1, event_id: '00000000-0000-7000-8000-000000000001', seq: 0, at_ms: AT_MS, call_id: null, detail_json: null };
  await store.query(stableTables(['case_history']).bind(insertCaseHistory([{ ...line, type: 'case_opened' }])));
  const views = new Views(store, new AnsweredPositions(), () => performance.now());
  app = await FeatureApp.open(
    [CasesModule],
    [
      { provide: ConfigurationService, useValue: configuration },
      { provide: Views, useValue: views },
      { provide: CallSealer, useValue: { forged: () => undefined } },
      { provide: OpenStreams, useValue: {} },
      { provide: CaseFeeds, useValue: {} },
    ],
  );
}, 60_000);
afterAll(async () => {
  await app.close();
  await store.close();
});

test('a case is read with its tag, listed and told line by line', async () => {
  const read = await app.send('GET', '/v1/cases/case_1', { role: 'auditor' });
  expect(read).toMatchObject({ status: 200, headers: { etag: '"c1"' }, body: { case_id: 'case_1', status: 'open', title: 'Orders' } });
  expect((await app.send('GET', '/v1/cases?status=open', { role: 'auditor' })).body.items).toEqual([read.body]);
  expect((await app.send('GET', '/v1/cases?status=closed', { role: 'auditor' })).body.items).toEqual([]);
  const { body } = await app.send('GET', '/v1/cases/case_1/history', { role: 'auditor' });
  expect(body.items).toMatchObject([{ case_id: 'case_1', type: 'case_opened', call_id: null }]);
  expect((await app.send('GET', '/v1/cases/none/history', { role: 'auditor' })).status).toBe(404);
});

test('cases are found by their reference and by entries of their metadata', async () => {
  const found = async (query: string) => (await app.send('GET', `/v1/cases?${query}`, { role: 'auditor' })).body.items.length;
  for (const query of ['external_id=PO-1', 'metadata.region=eu', 'metadata.region=eu&metadata.row=7&external_id=PO-1'])
    expect([query, await found(query)]).toEqual([query, 1]);
  for (const query of ['external_id=PO-2', 'metadata.region=us', 'metadata.region=eu&metadata.row=8', 'metadata.constructor=eu'])
    expect([query, await found(query)]).toEqual([query, 0]);
  const refused = [
    'metadata.Region=eu',
    'metadata.region=eu&metadata.region=us',
    'metadata=eu',
    'metadata.__proto__=x',
    'external_id=ext:a',
  ];
  for (const query of refused)
    expect([query, (await app.send('GET', `/v1/cases?${query}`, { role: 'auditor' })).status]).toEqual([query, 400]);
});

test('a case is opened by agents and operators, with its place on the log', async () => {
  expect((await app.send('POST', '/v1/cases', { role: 'auditor', body: {} })).status).toBe(403);
  expect((await app.send('POST', '/v1/cases')).status).toBe(401);
  const made = await app.send('POST', '/v1/cases', { role: 'agent' });
  expect(made).toMatchObject({ status: 201, body: { status: 'open', title: null } });
  expect(made.headers).toMatchObject({
    location: `/v1/cases/${made.body.case_id}`,
    'countersign-position': 'configuration-changed:0:1',
  });
  expect(written).toMatchObject([{ case_id: made.body.case_id, state: 'open' }]);
});

test('what does not fit is refused with its place', async () => {
  const issues = async (method: string, url: string, body?: unknown) =>
    (await app.send(method, url, { role: 'agent', body, headers: { prefer: 'wait=0' } })).body.validation.issues.map(
      ({ path }: { path: string }) => path,
    );
  expect(await issues('POST', '/v1/cases', { title: '' })).toEqual(['/title']);
  expect(await issues('PATCH', '/v1/cases/case_1', { state: 'gone' })).toEqual(['/state']);
  expect(await issues('GET', '/v1/cases?status=gone')).toEqual(['/status']);
  expect(await issues('GET', '/v1/cases?cursor=x')).toEqual(['/cursor']);
});
