import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api, Envelope } from '../journeys/api.js';
import { TrytonPlatform } from './tryton-platform.js';
import { TrytonWorld } from './tryton-world.js';

const today = new Date().toISOString().slice(0, 10);
const TOOLS = ['query_invoice', 'list_overdue_invoices', 'list_open_quotes', 'query_stock'];

const tryton = new TrytonWorld();
const people = tryton.people();
let world: TrytonPlatform;
let agent: Api;
let anna: Api;
let invoices: string[];

const call = async (tool: string, inputs: object) => (await agent.call({ tool, inputs: inputs as Record<string, unknown> })).body;

interface Listed {
  items: Record<string, unknown>[];
  next_cursor: string | null;
}

/** All pages of a list, one record a page. */
async function pagesOf(tool: string, inputs: object): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { output } = await call(tool, { ...inputs, limit: 1, ...(cursor && { cursor }) });
    const page = output as unknown as Listed;
    expect(page.items.length).toBeLessThanOrEqual(1);
    items.push(...page.items);
    cursor = page.next_cursor;
  }
  return items;
}

/** A posted invoice of today for one piece. */
async function invoiceFor(customer: number, product: number): Promise<string> {
  const id = await people.sale(customer, [[product, 1, '21.00']]);
  await people.press('sale.sale', id, 'quote', 'confirm');
  const [sale] = await people.search('sale.sale', [['id', '=', id]], ['invoices']);
  const [invoice] = sale?.invoices as [number];
  await people.write('account.invoice', invoice, { invoice_date: today });
  await people.press('account.invoice', invoice, 'post');
  return String(invoice);
}

beforeAll(async () => {
  const [supplier, customer, stranger] = [await people.party('maker'), await people.party('buyer'), await people.party('stranger')];
  const product = await people.product('part', '21.00', '12.50', supplier);
  await people.count(product, 10);
  const made = [await invoiceFor(customer, product), await invoiceFor(customer, product)];
  invoices = [...made, await invoiceFor(stranger, product)];
  for (let quotes = 0; quotes < 2; quotes++) await people.sale(customer, [[product, 1 + quotes, '21.00']]);
  const mappings = await tryton.mappings(TOOLS);
  for (const { tables } of Object.values(mappings)) Object.assign(tables?.customers ?? {}, { cus_buyer: customer });
  world = await TrytonPlatform.start(tryton, tryton.url, mappings);
  agent = world.agent;
  anna = await world.platform.admin().keyFor('user', 'anna', ['approver']);
});
afterAll(() => world?.close());

test('an invoice is read in the words of the agent', async () => {
  expect(await call('query_invoice', { invoice_id: invoices[0] })).toMatchObject({
    status: 'succeeded',
    output: { invoice_id: invoices[0], status: 'posted', customer: 'cus_buyer', currency: 'EUR', total: '21.00', open_amount: '21.00' },
  });
  expect(await call('query_invoice', { invoice_id: '999999' })).toMatchObject({ status: 'failed', error: { code: 'VALIDATION_ERROR' } });
});

test('an invoice to a customer that no table has is refused by the place of its id', async () => {
  const read = await call('query_invoice', { invoice_id: invoices[2] });
  expect(read.error).toMatchObject({ code: 'VALIDATION_ERROR', message: expect.stringContaining('/party') });
});

test('pages of overdue invoices follow each other without gap or repetition', async () => {
  const items = await pagesOf('list_overdue_invoices', { as_of: '2099-01-01', customer: 'cus_buyer' });
  expect(items.map(({ invoice_id }) => invoice_id)).toEqual(invoices.slice(0, 2));
});

test('pages of open quotes follow each other without gap or repetition', async () => {
  const items = await pagesOf('list_open_quotes', { customer: 'cus_buyer' });
  expect(items.map(({ total }) => total)).toEqual(['21.00', '42.00']);
});

test('a list leaves out customers that no table has, and says so', async () => {
  const seen: unknown[] = [];
  const warnings: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const listed = await call('list_overdue_invoices', { as_of: '2099-01-01', limit: 100, ...(cursor && { cursor }) });
    const page = listed.output as unknown as Listed;
    seen.push(...page.items.map(({ invoice_id }) => invoice_id));
    warnings.push(...(listed.warnings ?? []));
    cursor = page.next_cursor;
  }
  expect(seen).toEqual(expect.arrayContaining(invoices.slice(0, 2)));
  expect(seen).not.toContain(invoices[2]);
  expect(warnings.join()).toMatch(/items are left out: \/items\/\d+\/party \d+ is not a value of the table customers/);
});

test('a count that a person approves is the stock in Tryton, once', async () => {
  const stockOf = async () => ((await call('query_stock', { product: `part-${people.run}` })).output as unknown as Listed).items[0];
  const before = await stockOf();
  const counted = Number(before?.on_hand) - 3;
  const staged = await call('propose_stock_adjustment', { stock_id: before?.stock_id, counted, reason: 'counted by hand' });
  expect([staged.status, (await stockOf())?.on_hand]).toEqual(['succeeded', before?.on_hand]);
  const apply = { operation: 'apply_proposal', kind: 'stock', id: staged.output?.proposal_id, reason: 'the count is right' };
  const asked = await call('propose_write', apply);
  expect(asked).toMatchObject({ status: 'pending_approval', decision: { rule: 'contract.asks_always' } });
  const at = `/v1/approvals/${(asked as Envelope).approval?.approval_id}/votes`;
  expect((await anna.request('POST', at, { vote: 'approve' })).status).toBe(200);
  const ended = await agent.callUntil(asked.call_id, ({ status }) => !['pending_approval', 'running'].includes(status));
  expect(ended).toMatchObject({ status: 'succeeded', output: { kind: 'stock', record_id: before?.stock_id } });
  expect((await stockOf())?.on_hand).toBe(counted);
});
