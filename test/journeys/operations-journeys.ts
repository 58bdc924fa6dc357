import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Api, Envelope } from './api.js';
import { countersign } from './cli.js';
import type { JourneyWorld } from './journey-world.js';

const line = { product: 'p_widget_a', quantity: 100, unit_price: '12.50' };
const order = { supplier: 'sup_alpha', line_items: [line], delivery_date: '2099-05-01', cost_center: 'project_x' };

interface Listed {
  items: { name: string }[];
  unhealthy_packs?: unknown[];
}

/** How many tools each category has. */
const CATEGORIES = { accounting: 3, customer: 3, inventory: 4, manufacturing: 3, product: 3, purchasing: 5, sales: 5, write: 1 };

const rules = [
  {
    id: 'operations',
    description: 'Writes of the operations agent run',
    tools: ['create_*', 'confirm_*', 'cancel_*', 'update_*', 'propose_*'],
    effect: 'allow',
  },
];

/** The tools of the operations pack through the API, in a child process, on the ledger in `folder`. */
export function describeOperations(at: JourneyWorld, folder: string): void {
  describe('the operations pack', () => {
    let agent: Api;
    const call = async (tool: string, inputs: object, more: object = {}) =>
      (await agent.call({ tool, inputs: inputs as Record<string, unknown>, ...more })).body;
    const caseOf = async (title: string) => (await agent.request<{ case_id: string }>('POST', '/v1/cases', { title })).body.case_id;
    const lie = (lies: object) => writeFileSync(path.join(folder, 'lies.json'), JSON.stringify(lies));
    const ordersOf = async (supplier: string) => {
      const numbers: string[] = [];
      for (let n = 2001; ; n++) {
        const { output } = await call('query_purchase_order', { po_id: `po_${n}` });
        if (output === null) return numbers;
        if (output.supplier === supplier && output.status !== 'cancelled') numbers.push(output.po_id as string);
      }
    };

    beforeAll(async () => {
      agent = await at.admin.keyFor('agent', 'operations-agent', ['agent']);
      const { body } = await at.admin.request<{ version: string }>('POST', '/v1/policies', { rules });
      expect((await at.admin.request('PUT', '/v1/policies/active', { version: body.version, shadow: null })).status).toBe(200);
    });

    test('all 27 tools are loaded from the folder, in eight categories, and the pack is healthy', async () => {
      const listed = async (category: string) => {
        const { body } = await at.admin.request<Listed>('GET', `/v1/tools?limit=100&category=${category}`);
        expect(body.unhealthy_packs ?? []).toEqual([]);
        return body.items.length;
      };
      const counts = await Promise.all(Object.keys(CATEGORIES).map(async (name) => [name, await listed(name)]));
      expect(Object.fromEntries(counts)).toEqual(CATEGORIES);
    });

    test.each<[string, object, string]>([
      ['a negative quantity', { line_items: [{ ...line, quantity: -1 }] }, '/line_items/0/quantity'],
      ['a fractional quantity', { line_items: [{ ...line, quantity: 1.5 }] }, '/line_items/0/quantity'],
      ['a price with three decimals', { line_items: [{ ...line, unit_price: '1.005' }] }, '/line_items/0/unit_price'],
      ['an unknown supplier', { supplier: 'sup_nobody' }, '/supplier'],
      ['a date in the past', { delivery_date: '2026-01-01' }, '/delivery_date'],
      ['a date that does not exist', { delivery_date: '2099-02-30' }, '/delivery_date'],
      ['a currency that the supplier does not have', { currency: 'GBP' }, '/currency'],
    ])('%s is a VALIDATION_ERROR that names the field of the agent', async (_title, change, field) => {
      const answered = (await call('create_purchase_order', { ...order, ...change })) as Envelope & { code?: string; validation?: unknown };
      expect(answered.code ?? answered.error?.code).toBe('VALIDATION_ERROR');
      expect(JSON.stringify(answered.validation)).toContain(`"path":"${field}`);
    });

    test('the model says its note in other words: it is the same order', async () => {
      const case_id = await caseOf('note');
      const first = await call('create_purchase_order', { ...order, note: 'as quoted' }, { case_id });
      const second = await call('create_purchase_order', { ...order, note: 'Per the accepted quote.' }, { case_id });
      expect(first).toMatchObject({
        status: 'succeeded',
        output: { po_id: expect.stringMatching(/^po_2\d{3}$/), external_url: expect.any(String) },
      });
      expect(second).toMatchObject({ status: 'succeeded', deduplicated: true, output: first.output });
    });

    test('a person edits the reference of an order: it still answers, and the record of the repeat says reference_edited', async () => {
      const case_id = await caseOf('edited');
      const first = await call('create_purchase_order', { ...order, delivery_date: '2099-06-01' }, { case_id });
      const ledger = path.join(folder, 'ledger.jsonl');
      const lines = readFileSync(ledger, 'utf8').trim().split('\n');
      const made = lines.map((text) => JSON.parse(text)).findLast(({ id }) => id === first.output?.po_id);
      const edited = { at_ms: Date.now(), kind: made.kind, id: made.id, record: { ...made.record, reference: 'mine' } };
      appendFileSync(ledger, `${JSON.stringify(edited)}\n`);
      const again = await call('create_purchase_order', { ...order, delivery_date: '2099-06-01' }, { case_id });
      expect([first.warnings, again.deduplicated, again.output]).toEqual([[], true, first.output]);
      expect(again.warnings).toContainEqual(expect.stringContaining(`reference_edited: purchase_order ${made.id} stands`));
      expect((await agent.readCall(again.call_id)).body.warnings).toEqual(again.warnings);
    });

    test('a cancelled order is ordered again by the same request', async () => {
      const case_id = await caseOf('again');
      const first = await call('create_purchase_order', order, { case_id });
      expect(await call('cancel_purchase_order', { po_id: first.output?.po_id }, { case_id })).toMatchObject({ status: 'succeeded' });
      const second = await call('create_purchase_order', order, { case_id });
      expect([second.deduplicated, second.output?.po_id === first.output?.po_id]).toEqual([false, false]);
    });

    test('a status set twice with another between is three effects', async () => {
      const { output } = await call('create_quote', { customer: 'cus_contoso', line_items: [line] });
      const move = (from_status: string, status: string) =>
        call('update_sales_order_status', { order_id: output?.quote_id, from_status, status });
      const moves = [await move('draft', 'quotation'), await move('quotation', 'draft'), await move('draft', 'quotation')];
      expect(moves.map(({ status, deduplicated, output: moved }) => [status, deduplicated, moved?.changed])).toEqual(
        Array.from({ length: 3 }, () => ['succeeded', false, true]),
      );
    });

    test('five concurrent requests for each of twenty orders leave twenty orders', async () => {
      const days = Array.from({ length: 20 }, (_, day) => `2099-07-${String(day + 1).padStart(2, '0')}`);
      const wanted = { ...order, supplier: 'sup_beta', line_items: [{ ...line, product: 'p_bracket' }] };
      const case_id = await caseOf('storm');
      const storm = days.flatMap((delivery_date) =>
        Array.from({ length: 5 }, () => call('create_purchase_order', { ...wanted, delivery_date }, { case_id })),
      );
      const answers = await Promise.all(storm);
      expect(answers.filter(({ status }) => status !== 'succeeded')).toEqual([]);
      expect(await ordersOf('sup_beta')).toHaveLength(20);
    });

    test('the answer is cut after the commit: one order, and the call ends as succeeded', async () => {
      lie({ cut_after_commit: 'purchase_order' });
      const wanted = { ...order, supplier: 'sup_gamma', line_items: [{ ...line, product: 'p_crate' }] };
      const sent = await call('create_purchase_order', wanted);
      rmSync(path.join(folder, 'lies.json'));
      const ended = await agent.callUntil(sent.call_id, ({ status }) => status !== 'running', 150_000);
      expect(ended).toMatchObject({ status: 'succeeded', output: { po_id: expect.stringMatching(/^po_/) } });
      expect(await ordersOf('sup_gamma')).toEqual([ended.output?.po_id]);
    });

    test('a custom field of a customer is one rule of a mapping: strict refuses it by name before, and it arrives after', async () => {
      const plain = ['supplier', 'line_items', 'delivery_date', 'cost_center'].map((name) => ({ from: `/${name}`, to: `/${name}` }));
      const publish = async (inputs: object[]) => {
        const { status, body } = await at.admin.request<{ version: number; state: string }>('PUT', '/v1/mappings/create_purchase_order', {
          mode: 'strict',
          inputs,
        });
        expect([status, body.state]).toEqual([200, 'activated']);
      };
      const asked = { ...order, delivery_date: '2099-08-01', custom_fields: { incoterm: 'DAP' } };
      await publish(plain);
      const refused = (await call('create_purchase_order', asked)) as Envelope & { validation?: object };
      expect(refused.validation).toMatchObject({
        layer: 'mapping',
        issues: [{ path: '/custom_fields', message: 'is not mapped' }],
      });
      await publish([...plain, { from: '/custom_fields/incoterm', to: '/x_studio_incoterm' }]);
      const other = { ...asked, custom_fields: { ...asked.custom_fields, colour: 'red' } };
      expect(await call('create_purchase_order', other)).toMatchObject({ validation: { issues: [{ path: '/custom_fields/colour' }] } });
      const made = await call('create_purchase_order', asked);
      expect(made).toMatchObject({ status: 'succeeded' });
      const line_of_order = readFileSync(path.join(folder, 'ledger.jsonl'), 'utf8').split('\n').at(-2) as string;
      expect(JSON.parse(line_of_order)).toMatchObject({ id: made.output?.po_id, record: { fields: { x_studio_incoterm: 'DAP' } } });
      expect((await at.admin.request('DELETE', '/v1/mappings/create_purchase_order')).status).toBe(204);
    });

    test('propose_write waits for a person although a rule allows it', async () => {
      const inputs = { operation: 'update', kind: 'supplier', id: 'sup_alpha', fields: { payment_terms: 'net_30' }, reason: 'agreed' };
      const asked = await call('propose_write', inputs, { context: {} });
      expect(asked).toMatchObject({ status: 'pending_approval', decision: { rule: 'contract.asks_always' } });
      const approval_id = asked.approval?.approval_id;
      expect((await at.anna.request('POST', `/v1/approvals/${approval_id}/votes`, { vote: 'approve' })).status).toBe(200);
      expect((await agent.callUntil(asked.call_id, ({ status }) => status !== 'pending_approval')).status).toMatch(/running|succeeded/);
    });

    test('a row that no table knows refuses a list, or is left out with a warning where the rule of the list says so', async () => {
      const each = [
        ...['shortage_id', 'status', 'external_url', 'required', 'available', 'missing', 'supplier'].map((name) => ({
          from: `/${name}`,
          to: `/${name}`,
        })),
        { from: '/product', to: '/product', lookup_back: 'products' },
      ];
      const publish = async (more: object) => {
        const results = [
          { from: '/items', to: '/items', each, ...more },
          { from: '/next_cursor', to: '/next_cursor' },
        ];
        const mapping = {
          mode: 'strict',
          inputs: [{ from: '/limit', to: '/limit' }],
          results,
          tables: { products: { w_a: 'p_widget_a' } },
        };
        expect((await at.admin.request('PUT', '/v1/mappings/list_shortages', mapping)).status).toBe(200);
      };
      const unknown = '/items/0/product "p_crate" is not a value of the table products';
      await publish({});
      const refused = await call('list_shortages', {});
      expect(refused).toMatchObject({ status: 'failed', error: { code: 'VALIDATION_ERROR', message: expect.stringContaining(unknown) } });
      await publish({ skip_unknown: true });
      const listed = await call('list_shortages', {});
      expect(listed).toMatchObject({ status: 'succeeded', output: { items: [{ product: 'w_a', missing: 260 }], next_cursor: null } });
      expect(listed.warnings).toEqual([`/items: 1 of 2 items are left out: ${unknown}`]);
      expect((await at.admin.request('DELETE', '/v1/mappings/list_shortages')).status).toBe(204);
    });

    test('the report of gaps names fields without a rule, rows that were left out and uses of propose_write', async () => {
      const permissive = { mode: 'permissive', inputs: [{ from: '/supplier', to: '/supplier' }] };
      expect((await at.admin.request('PUT', '/v1/mappings/create_purchase_order', permissive)).status).toBe(200);
      expect(await call('create_purchase_order', { ...order, delivery_date: '2099-09-01' })).toMatchObject({ status: 'succeeded' });
      const { code, output } = await countersign({}, 'gaps', '--url', at.platform.base, '--key', at.admin.key);
      expect([code, output]).toEqual([0, expect.stringMatching(/1 {2}create_purchase_order \/line_items\n/)]);
      expect(output).toMatch(/1 {2}list_shortages \/items, table products\n/);
      expect(output).toMatch(/1 {2}update supplier payment_terms/);
      expect((await at.admin.request('DELETE', '/v1/mappings/create_purchase_order')).status).toBe(204);
    });
  });
}
