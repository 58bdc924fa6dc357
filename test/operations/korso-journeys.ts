import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Envelope } from '../journeys/api.js';
import { countersign } from '../journeys/cli.js';
import { setPolicy } from './korso-policy.js';
import { draftsOnly, fanOut, fanOutWithFreight, type WantedOrder } from './korso-saga.js';
import { type Cast, castOf, type KorsoWorld } from './korso-world.js';

interface Saga {
  saga_id: string;
  status: string;
  failed_step_id: string | null;
  pivot_step_id: string | null;
  steps: { step_id: string; status: string; call_id: string; compensation: { status: string; call_id: string } | null }[];
  tickets: { ticket: string; step_id: string }[];
  ended_at: string | null;
}

/** One entry of the list of what a person must do. */
interface SagaTicket {
  ticket: string;
  error: { message: string } | null;
  actions: { act: string }[];
}

/** Korso's story, on any platform and business system. */
export function describeKorso(world: KorsoWorld): void {
  let by: Cast;
  let case_id: string;
  const order = (supplier: string, quantity: number, more: object = {}): WantedOrder => ({
    supplier,
    line_items: [{ product: 'p_widget_a', quantity, unit_price: '12.50' }],
    delivery_date: world.delivery_date,
    ...more,
  });
  const call = async (tool: string, inputs: object) =>
    (await by.agent.call({ tool, inputs: inputs as Record<string, unknown>, case_id })).body;
  const vote = (voter: 'anna' | 'ben', { approval }: Envelope, body: object) =>
    by[voter].request('POST', `/v1/approvals/${approval?.approval_id}/votes`, body);
  const openCase = async (title: string) => (await by.agent.request<{ case_id: string }>('POST', '/v1/cases', { title })).body.case_id;
  const sagaUntil = async (saga_id: string, met: (saga: Saga) => boolean): Promise<Saga> => {
    for (const end = performance.now() + 150_000; ; await sleep(100)) {
      const { body } = await by.olga.request<Saga>('GET', `/v1/sagas/${saga_id}`);
      if (met(body)) return body;
      if (performance.now() > end) throw new Error(JSON.stringify(body));
    }
  };
  const sagaOf = (saga_id: string, met: string) => sagaUntil(saga_id, ({ status }) => status === met);
  const waitsWith = (saga_id: string, met: string) => sagaUntil(saga_id, ({ tickets }) => tickets.some(({ ticket }) => ticket === met));
  const start = async (definition: object, title: string): Promise<string> => {
    const begun = { definition, case_id: await openCase(title) };
    const { status, body } = await by.agent.request<Saga>('POST', '/v1/sagas', begun, { prefer: 'wait=5' });
    if (status >= 300) throw new Error(JSON.stringify(body));
    return body.saga_id;
  };
  const run = async (definition: object, title: string, met: string): Promise<Saga> => sagaOf(await start(definition, title), met);
  const decide = async (saga_id: string, action: string, body: object) =>
    expect((await by.olga.request('POST', `/v1/sagas/${saga_id}/${action}`, body)).status).toBe(200);
  /** What a person must do about a saga: its one open ticket. */
  const todoOf = async (saga_id: string, met: string): Promise<SagaTicket> => {
    for (const end = performance.now() + 30_000; ; await sleep(100)) {
      const { body } = await by.olga.request<{ items: SagaTicket[] }>('GET', `/v1/saga-tickets?saga_id=${saga_id}`);
      const [todo, ...others] = body.items;
      if (todo?.ticket === met && others.length === 0) return todo;
      if (performance.now() > end) throw new Error(JSON.stringify(body));
    }
  };
  const stateOf = async (call_id: string) => (await world.states()).get(await poOf(call_id));
  const poOf = async (call_id: string) => String((await by.agent.readCall(call_id)).body.output?.po_id);
  const undo = async (call_ids: string[]): Promise<string> => {
    const preview = await by.olga.request<{ preview_digest: string }>('POST', '/v1/calls:undo', { call_ids, preview: true });
    const asked = { call_ids, preview_digest: preview.body.preview_digest, reason: 'the customer withdrew' };
    const { body } = await by.olga.request<{ saga_id: string }>('POST', '/v1/calls:undo', asked);
    expect(body).toMatchObject({ saga_id: expect.any(String) });
    return body.saga_id;
  };

  beforeAll(async () => {
    by = await castOf(await world.start());
    await by.admin.request('PUT', '/v1/facts/preapproved_suppliers', { rows: ['sup_alpha'] });
    await setPolicy(by.admin);
    case_id = await openCase('A quote of Northwind was accepted');
  });
  afterAll(() => world.close());

  test('the customer accepts the quote', async () => {
    const confirmed = await call('confirm_quote', { quote_id: await world.quote() });
    expect(confirmed).toMatchObject({ status: 'succeeded', output: { status: expect.stringMatching(/^(confirmed|processing)$/) } });
  });

  test('4,200 with a pre-approved supplier goes through by rule', async () => {
    const made = await call('create_purchase_order', order('sup_alpha', 336, { note: 'Alpha confirmed the price' }));
    expect(made).toMatchObject({ status: 'succeeded', decision: { rule: 'auto-approve-po-under-5k-preapproved-supplier' } });
  });

  test('the model says its note in other words: the ERP has one order', async () => {
    const again = await call('create_purchase_order', order('sup_alpha', 336, { note: 'Price was confirmed by Alpha.' }));
    expect(again).toMatchObject({ status: 'succeeded', deduplicated: true });
    expect([...(await world.states()).values()]).toEqual(['draft']);
  });

  test('6,000 waits, is edited down, and approved by two people', async () => {
    const asked = await call('create_purchase_order', order('sup_alpha', 480));
    expect(asked).toMatchObject({ status: 'pending_approval', decision: { rule: 'large-orders' } });
    const edited = await vote('anna', asked, { vote: 'edit', inputs: order('sup_alpha', 440), reason: '5,500 is enough' });
    expect(edited.status).toBe(200);
    const now = (await by.agent.readCall(asked.call_id)).body;
    expect((await vote('ben', now, { vote: 'approve' })).status).toBe(200);
    const ended = await by.agent.callUntil(asked.call_id, ({ status }) => status === 'succeeded');
    const { output } = await call('query_purchase_order', { po_id: ended.output?.po_id });
    expect(output).toMatchObject({ supplier: 'sup_alpha', total: '5500.00', status: 'draft' });
  });

  test('one order of the fan-out fails before the pivot, and all is undone', async () => {
    const orders = [order('sup_alpha', 10), order('sup_alpha', 20), order('sup_nobody', 5)];
    await by.admin.request('PUT', '/v1/facts/preapproved_suppliers', { rows: ['sup_alpha', 'sup_nobody'] });
    const saga = await run(draftsOnly(orders), 'A supplier that does not exist', 'compensated');
    expect(saga.failed_step_id).toBe('draft_2');
    const drafts = saga.steps.filter(({ status }) => status === 'succeeded');
    expect(drafts.map(({ compensation }) => compensation?.status)).toEqual(['executed', 'executed']);
    const states = await world.states();
    for (const { call_id } of drafts) expect(states.get(await poOf(call_id))).toBe('cancelled');
  });

  test('confirm is the pivot; what is undone after it ends COMPENSATION_FAILED with the list of a person', async () => {
    const saga = await run(fanOut([order('sup_alpha', 11), order('sup_alpha', 12)]), 'Undone after the pivot', 'completed');
    expect(saga.pivot_step_id).toBe('confirm');
    world.letCancelsDoNothing();
    const drafts = saga.steps.filter(({ step_id }) => step_id.startsWith('draft')).map(({ call_id }) => call_id);
    const stuck = await sagaOf(await undo(drafts), 'compensation_failed');
    expect(stuck.tickets).toMatchObject([{ ticket: 'compensation_failed' }]);
    const ended = await Promise.all(drafts.map(async (id) => (await by.agent.readCall(id)).body.status));
    expect(ended.sort()).toEqual(['compensated', 'compensation_failed']);
    const failed = stuck.steps.find(({ compensation }) => compensation?.status === 'failed');
    const why = (await by.olga.request<Envelope>('GET', `/v1/calls/${failed?.compensation?.call_id}`)).body.error;
    expect(why?.message).toContain('By hand: agree the cancellation with the supplier');
    const states = await world.states();
    const left = await Promise.all(drafts.map(async (id) => states.get(await poOf(id))));
    expect(left.sort()).toEqual(['cancelled', 'processing']);
  });

  test('a step fails after the pivot: it waits for a person, and ends COMPENSATION_FAILED with what a person must do', async () => {
    const [freight, insurance] = [order('sup_alpha', 13), order('sup_nobody', 1)];
    const wanted = fanOutWithFreight([order('sup_alpha', 14), order('sup_alpha', 15)], freight, insurance);
    const saga_id = await start(wanted, 'The insurer does not exist');
    const asking = await sagaOf(saga_id, 'awaiting_approval');
    const pivot = (await by.agent.readCall(asking.steps.find(({ step_id }) => step_id === 'confirm')?.call_id as string)).body;
    expect((await vote('anna', pivot, { vote: 'approve' })).status).toBe(200);
    const failed = await waitsWith(saga_id, 'failed_after_pivot');
    expect(failed.tickets).toMatchObject([{ ticket: 'failed_after_pivot', step_id: 'insurance' }]);
    expect((await todoOf(saga_id, 'failed_after_pivot')).actions.map(({ act }) => act)).toContain('cancel');
    const callOf = (name: string) => failed.steps.find(({ step_id }) => step_id === name)?.call_id as string;
    // While the saga waits, a purchaser confirms the freight in the ERP.
    await world.confirmByHand(await poOf(callOf('freight')));
    world.letCancelsDoNothing();
    await decide(saga_id, 'cancel', { reason: 'no insurer' });
    const stuck = await sagaOf(saga_id, 'compensation_failed');
    expect([stuck.pivot_step_id, stuck.ended_at]).toEqual(['confirm', null]);
    const todo = await todoOf(saga_id, 'compensation_failed');
    expect(todo.error?.message).toContain('By hand: agree the cancellation with the supplier');
    await decide(saga_id, 'accept', { step_id: 'freight', reason: 'the supplier delivers it' });
    const ended = await sagaUntil(saga_id, ({ ended_at }) => ended_at !== null);
    expect([ended.status, ended.pivot_step_id, ended.failed_step_id]).toEqual(['compensation_failed', 'confirm', 'insurance']);
    const states = await Promise.all(['draft_0', 'draft_1', 'freight'].map((name) => stateOf(callOf(name))));
    expect(states).toEqual(['processing', 'draft', 'processing']);
  });

  test('what if the approval had been given last Friday? is answered', async () => {
    const asked = await call('create_purchase_order', order('sup_alpha', 500));
    const approval_id = asked.approval?.approval_id;
    await sleep(1_100);
    const at = new Date(Date.now() - 500).toISOString();
    for (const voter of ['anna', 'ben'] as const) expect((await vote(voter, asked, { vote: 'approve' })).status).toBe(200);
    await by.agent.callUntil(asked.call_id, ({ status }) => status === 'succeeded');
    const changes = ['anna', 'ben'].map((voter) => ({ kind: 'approval', approval_id, voter, at }));
    const path = `/v1/cases/${case_id}/counterfactual`;
    const answer = await by.audra.request<{ comparisons: { call_id: string; differences: string[] }[] }>('POST', path, { changes });
    const compared = answer.body.comparisons?.find(({ call_id }) => call_id === asked.call_id);
    expect([answer.status, compared?.differences]).toEqual([200, ['started_earlier']]);
  });

  test('the system has the orders that were told of, and no other', async () => {
    const states = [...(await world.states()).values()].sort();
    const drafts = ['draft', 'draft', 'draft', 'draft'];
    expect(states).toEqual(['cancelled', 'cancelled', 'cancelled', ...drafts, 'processing', 'processing', 'processing']);
  });

  test('the case exports as evidence that verifies offline', async () => {
    let bundle: { vkey: string } | undefined;
    for (const end = performance.now() + 60_000; bundle === undefined && performance.now() < end; await sleep(200)) {
      const answer = await by.audra.request<{ vkey: string }>('GET', `/v1/audit/bundle?case_id=${case_id}`);
      if (answer.status === 200) bundle = answer.body;
    }
    const folder = mkdtempSync(path.join(tmpdir(), 'countersign-korso-case-'));
    const file = path.join(folder, 'case.json');
    writeFileSync(file, JSON.stringify(bundle));
    const { code, output } = await countersign({}, 'verify', file, '--vkey', bundle?.vkey ?? '');
    rmSync(folder, { recursive: true, force: true });
    expect([code, output]).toEqual([0, expect.stringContaining('create_purchase_order succeeded')]);
  });
}
