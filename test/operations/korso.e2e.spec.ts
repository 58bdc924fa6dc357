import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api, Envelope } from '../journeys/api.js';
import { countersign } from '../journeys/cli.js';
import { EmbeddedPlatform } from '../journeys/embedded-platform.js';
import { draftsOnly, fanOut, type WantedOrder } from './korso-saga.js';

interface Saga {
  saga_id: string;
  status: string;
  failed_step_id: string | null;
  pivot_step_id: string | null;
  steps: { step_id: string; status: string; call_id: string; compensation: { status: string; call_id: string } | null }[];
  tickets: { ticket: string }[];
}

const systems = mkdtempSync(path.join(tmpdir(), 'countersign-korso-'));
const total = 'sum(inputs.line_items.map(l, double(l.quantity) * double(l.unit_price)))';
const rules = [
  {
    id: 'auto-approve-po-under-5k-preapproved-supplier',
    description: 'Orders below 5,000 with a pre-approved supplier run',
    tools: 'create_purchase_order',
    when: `${total} < 5000.0 && inputs.supplier in facts.preapproved_suppliers`,
    effect: 'allow',
  },
  {
    id: 'large-orders',
    description: 'Orders of 5,000 and more need two approvers',
    tools: 'create_purchase_order',
    when: `${total} >= 5000.0`,
    effect: 'require_approval',
    approval: { approver_roles: ['approver'], quorum: 2 },
  },
  { id: 'moves', tools: ['confirm_quote', 'confirm_purchase_order'], effect: 'allow' },
];

let platform: EmbeddedPlatform;
let admin: Api;
let agent: Api;
let case_id: string;
const people: Record<'anna' | 'ben' | 'olga' | 'audra', Api> = {} as never;

const order = (supplier: string, quantity: number, unit_price: string, more: object = {}): WantedOrder => ({
  supplier,
  line_items: [{ product: 'p_widget_a', quantity, unit_price }],
  delivery_date: '2099-05-01',
  ...more,
});
const call = async (tool: string, inputs: object, more: object = {}) =>
  (await agent.call({ tool, inputs: inputs as Record<string, unknown>, case_id, ...more })).body;
const statusOf = async (po_id: unknown) => (await call('query_purchase_order', { po_id })).output?.status;
const vote = (by: Api, { approval }: Envelope, body: object) =>
  by.request<{ approval_id: string; status: string }>('POST', `/v1/approvals/${approval?.approval_id}/votes`, body);
const run = async (definition: object, of = case_id): Promise<Saga> => {
  const { status, body } = await agent.request<Saga>('POST', '/v1/sagas', { definition, case_id: of }, { prefer: 'wait=30' });
  if (status >= 300) throw new Error(JSON.stringify(body));
  return body;
};
const sagaOf = async (saga_id: string, met: (saga: Saga) => boolean): Promise<Saga> => {
  for (const end = performance.now() + 60_000; ; await sleep(50)) {
    const { body } = await people.olga.request<Saga>('GET', `/v1/sagas/${saga_id}`);
    if (met(body)) return body;
    if (performance.now() > end) throw new Error(JSON.stringify(body));
  }
};
const openCase = async (title: string) => (await agent.request<{ case_id: string }>('POST', '/v1/cases', { title })).body.case_id;

beforeAll(async () => {
  platform = await EmbeddedPlatform.start({ COUNTERSIGN_PACKS: './packs/operations', OPERATIONS_ROOT: systems });
  admin = platform.admin();
  agent = await admin.keyFor('agent', 'operations-agent', ['agent']);
  for (const name of ['anna', 'ben'] as const) people[name] = await admin.keyFor('user', name, ['approver']);
  people.olga = await admin.keyFor('user', 'olga', ['operator']);
  people.audra = await admin.keyFor('user', 'audra', ['auditor']);
  await admin.request('PUT', '/v1/facts/preapproved_suppliers', { rows: ['sup_alpha'] });
  const { body, status } = await admin.request<{ version: string }>('POST', '/v1/policies', { rules });
  expect([status, body]).toMatchObject([201, { version: expect.any(String) }]);
  expect((await admin.request('PUT', '/v1/policies/active', { version: body.version, shadow: null })).status).toBe(200);
  case_id = await openCase('Quote so_1001 of Northwind was accepted');
});
afterAll(async () => {
  await platform?.close();
  rmSync(systems, { recursive: true, force: true });
});

test('the customer accepts the quote', async () => {
  expect(await call('confirm_quote', { quote_id: 'so_1001' })).toMatchObject({ status: 'succeeded', output: { status: 'confirmed' } });
});

test('4,200 with a pre-approved supplier goes through by rule', async () => {
  const made = await call('create_purchase_order', order('sup_alpha', 336, '12.50', { note: 'Alpha confirmed the price' }));
  expect(made).toMatchObject({ status: 'succeeded', decision: { rule: 'auto-approve-po-under-5k-preapproved-supplier' } });
});

test('the model says its note in other words: the ERP has one order', async () => {
  const again = await call('create_purchase_order', order('sup_alpha', 336, '12.50', { note: 'Price was confirmed by Alpha.' }));
  expect(again).toMatchObject({ status: 'succeeded', deduplicated: true });
});

test('6,000 waits, is edited down, and approved by two people', async () => {
  const asked = await call('create_purchase_order', order('sup_alpha', 480, '12.50'));
  expect(asked).toMatchObject({ status: 'pending_approval', decision: { rule: 'large-orders' } });
  const edited = await vote(people.anna, asked, { vote: 'edit', inputs: order('sup_alpha', 440, '12.50'), reason: '5,500 is enough' });
  expect(edited.status).toBe(200);
  const now = (await agent.readCall(asked.call_id)).body;
  expect((await vote(people.ben, now, { vote: 'approve' })).status).toBe(200);
  const ended = await agent.callUntil(asked.call_id, ({ status }) => status === 'succeeded');
  expect((await call('query_purchase_order', { po_id: ended.output?.po_id })).output).toMatchObject({ total: '5500.00', status: 'draft' });
});

test('one order of the fan-out fails before the pivot, and all is undone', async () => {
  const of = await openCase('A supplier that does not exist');
  const orders = [order('sup_alpha', 10, '12.50'), order('sup_alpha', 20, '12.50'), order('sup_nobody', 5, '12.50')];
  await admin.request('PUT', '/v1/facts/preapproved_suppliers', { rows: ['sup_alpha', 'sup_nobody'] });
  const saga = await sagaOf((await run(draftsOnly(orders), of)).saga_id, ({ status }) => status === 'compensated');
  expect(saga.failed_step_id).toBe('draft_2');
  const drafts = saga.steps.filter(({ status }) => status === 'succeeded');
  expect(drafts.map(({ compensation }) => compensation?.status)).toEqual(['executed', 'executed']);
  for (const { call_id } of drafts) expect(await statusOf((await agent.readCall(call_id)).body.output?.po_id)).toBe('cancelled');
});

test('confirm is the pivot; what is undone after it ends COMPENSATION_FAILED with the list of a person', async () => {
  const of = await openCase('Undone after the pivot');
  const saga = await sagaOf(
    (await run(fanOut([order('sup_alpha', 11, '12.50'), order('sup_alpha', 12, '12.50')]), of)).saga_id,
    ({ status }) => status === 'completed',
  );
  expect(saga.pivot_step_id).toBe('confirm');
  writeFileSync(path.join(systems, 'default', 'lies.json'), JSON.stringify({ cancel_does_nothing: true }));
  const drafts = saga.steps.filter(({ step_id }) => step_id.startsWith('draft')).map(({ call_id }) => call_id);
  const { preview_digest } = (
    await people.olga.request<{ preview_digest: string }>('POST', '/v1/calls:undo', { call_ids: drafts, preview: true })
  ).body;
  const undone = await people.olga.request<{ saga_id: string; reason?: string }>('POST', '/v1/calls:undo', {
    call_ids: drafts,
    preview_digest,
    reason: 'the customer withdrew',
  });
  expect(undone.body.saga_id).toEqual(expect.any(String));
  const stuck = await sagaOf(undone.body.saga_id, ({ status }) => status === 'compensation_failed');
  expect(stuck.tickets).toMatchObject([{ ticket: 'compensation_failed' }]);
  const states = await Promise.all(drafts.map(async (id) => (await agent.readCall(id)).body.status));
  expect(states.sort()).toEqual(['compensated', 'compensation_failed']);
  const failed = stuck.steps.find(({ compensation }) => compensation?.status === 'failed');
  const why = (await people.olga.request<Envelope>('GET', `/v1/calls/${failed?.compensation?.call_id}`)).body.error;
  expect(why).toMatchObject({ message: expect.stringContaining('By hand: agree the cancellation with the supplier') });
  rmSync(path.join(systems, 'default', 'lies.json'));
});

test('what if the approval had been given last Friday? is answered', async () => {
  const asked = await call('create_purchase_order', order('sup_alpha', 500, '12.50'));
  const approval_id = asked.approval?.approval_id;
  await sleep(1_100);
  const at = new Date(Date.now() - 500).toISOString();
  for (const by of [people.anna, people.ben]) expect((await vote(by, asked, { vote: 'approve' })).status).toBe(200);
  await agent.callUntil(asked.call_id, ({ status }) => status === 'succeeded');
  const changes = ['anna', 'ben'].map((voter) => ({ kind: 'approval', approval_id, voter, at }));
  const { status, body } = await people.audra.request<{ comparisons: { call_id: string; differences: string[] }[] }>(
    'POST',
    `/v1/cases/${case_id}/counterfactual`,
    { changes },
  );
  expect([status, body.comparisons.find(({ call_id }) => call_id === asked.call_id)?.differences]).toEqual([200, ['started_earlier']]);
});

test('the case exports as evidence that verifies offline', async () => {
  let bundle: { vkey: string } | undefined;
  for (const end = performance.now() + 60_000; bundle === undefined && performance.now() < end; await sleep(200)) {
    const answer = await people.audra.request<{ vkey: string }>('GET', `/v1/audit/bundle?case_id=${case_id}`);
    if (answer.status === 200) bundle = answer.body;
  }
  const file = path.join(systems, 'case.json');
  writeFileSync(file, JSON.stringify(bundle));
  const { code, output } = await countersign({}, 'verify', file, '--vkey', bundle?.vkey ?? '');
  expect([code, output]).toEqual([0, expect.stringContaining('create_purchase_order succeeded')]);
});
