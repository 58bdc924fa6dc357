import { AnsweredPositions, CallSealer, Views } from '@countersign/calls';
import { callId, SEALED, uuidv7 } from '@countersign/contracts';
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
/** The configuration of a tenant; changes are only recorded. */
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

test('a case is read with its ETag, listed and streamed line by line', async () => {
  const read = await app.send('GET', '/v1/cases/case_1', { role: 'auditor' });
  expect(read).toMatchObject({ status: 200, headers: { etag: '"c1"' }, body: { case_id: 'case_1', status: 'open', title: 'Orders' } });
  expect((await app.send('GET', '/v1/cases?status=open', { role: 'auditor' })).body.items).toEqual([read.body]);
  expect((await app.send('GET', '/v1/cases?status=closed', { role: 'auditor' })).body.items).toEqual([]);
  const { body } = await app.send('GET', '/v1/cases/case_1/history', { role: 'auditor' });
  expect(body.items).toMatchObject([{ case_id: 'case_1', type: 'case_opened', call_id: null }]);
  expect((await app.send('GET', '/v1/cases/none/history', { role: 'auditor' })).status).toBe(404);
});

test('a timeline is read from either end, in the named members, and of one call', async () => {
  const of = { tenant_id: 'acme', case_id: 'case_1' };
  const line = (at: number, call_id: string | null) => ({
    ...{ ...of, hlc: 10 + at, event_id: `00000000-0000-7000-8000-00000000001${at}`, seq: 0 },
    ...{ type: 'case_closed' as const, at_ms: AT_MS, call_id, detail_json: null },
  });
  const call_id = callId(2, uuidv7(AT_MS));
  await store.query(stableTables(['case_history']).bind(insertCaseHistory([line(1, null), line(2, call_id), line(3, null)])));
  const read = async (query: string) =>
    (await app.send('GET', `/v1/cases/case_1/history?fields=event_id&${query}`, { role: 'auditor' })).body;
  const ends = ({ items }: { items: { event_id: string }[] }) => items.map(({ event_id }) => event_id.slice(-2));
  expect(ends(await read(''))).toEqual(['01', '11', '12', '13']);
  expect((await read('limit=1')).items).toEqual([{ event_id: '00000000-0000-7000-8000-000000000001' }]);
  const newest = await read('order=newest&limit=3');
  expect(ends(newest)).toEqual(['13', '12', '11']);
  expect(ends(await read(`order=newest&cursor=${newest.next_cursor}`))).toEqual(['01']);
  expect(ends(await read(`call_id=${call_id}`))).toEqual(['12']);
  expect(ends(await read('call_id=3-x'))).toEqual([]);
  for (const query of ['fields=colour', 'order=sideways', 'call_id='])
    expect([query, (await app.send('GET', `/v1/cases/case_1/history?${query}`, { role: 'auditor' })).status]).toEqual([query, 400]);
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

test('cases are found by their opening time and by text in unencrypted titles', async () => {
  const sealed = `${SEALED}QUJDREVG`;
  const rows = ['Refund of Order 7', '100% of it', sealed, null].map((title, index) => {
    const opened_at_ms = AT_MS + (index + 1) * 1000;
    const of = { tenant_id: 'acme', case_id: `case_found_${index}`, state: 'open' as const };
    return { ...of, title, opened_at_ms, changed_at_ms: opened_at_ms, source_offset: 2 };
  });
  const other = { tenant_id: 'globex', case_id: 'case_globex', state: 'open' as const, title: 'Refund of Order 8' };
  const written = [...rows, { ...other, opened_at_ms: AT_MS, changed_at_ms: AT_MS, source_offset: 2 }];
  await store.query(stableTables(['cases']).bind(upsertCases(written)));
  const list = (query: string) => app.send('GET', `/v1/cases?${query}`, { role: 'auditor' });
  const found = async (query: string) => (await list(query)).body.items.map(({ case_id }: { case_id: string }) => case_id);
  const at = (seconds: number) => new Date(AT_MS + seconds * 1000).toISOString();
  expect(await found('text=refund%20OF')).toEqual(['case_found_0']);
  expect(await found('text=order')).toEqual(['case_found_0', 'case_1']);
  expect(await found(`text=order&opened_before=${at(1)}`)).toEqual(['case_1']);
  expect(await found(`opened_after=${at(2)}&opened_before=${at(4)}`)).toEqual(['case_found_2', 'case_found_1']);
  for (const [text, ids] of [
    ['0%', ['case_found_1']],
    ['%%', []],
    ['QUJDREVG', []],
    [SEALED, []],
  ] as const)
    expect([text, await found(`text=${encodeURIComponent(text)}`)]).toEqual([text, ids]);
  for (const query of ['text=a', 'opened_after=yesterday', 'opened_before='])
    expect([query, (await list(query)).status]).toEqual([query, 400]);
  const first = (await list('text=order&limit=1')).body;
  expect((await list(`text=order&limit=1&cursor=${first.next_cursor}`)).body.items).toMatchObject([{ case_id: 'case_1' }]);
});

test('agents and operators open a case, and get its log position', async () => {
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

test('invalid values are refused with their paths', async () => {
  const issues = async (method: string, url: string, body?: unknown) =>
    (await app.send(method, url, { role: 'agent', body, headers: { prefer: 'wait=0' } })).body.validation.issues.map(
      ({ path }: { path: string }) => path,
    );
  expect(await issues('POST', '/v1/cases', { title: '' })).toEqual(['/title']);
  expect(await issues('PATCH', '/v1/cases/case_1', { state: 'gone' })).toEqual(['/state']);
  expect(await issues('GET', '/v1/cases?status=gone')).toEqual(['/status']);
  expect(await issues('GET', '/v1/cases?cursor=x')).toEqual(['/cursor']);
});
