import { call, ended, openCase, reference, vote } from './demo-calls.js';
import { answerTo } from './demo-fault.js';
import type { DemoPeople } from './demo-people.js';
import type { Told } from './told.js';

const NOTE = 'Price confirmed by the supplier';

/** The inputs of an order for the accepted quote. */
const order = (supplier: string, quantity: number, note = NOTE) => ({
  supplier,
  line_items: [{ product: 'p_widget_a', quantity, unit_price: '12.50' }],
  delivery_date: '2099-05-01',
  cost_center: 'quote_so_1001',
  note,
});

/** A fan-out of drafts; the last one has a currency that its supplier does not have, so that the drafts before it are cancelled. */
const fanOut = {
  name: 'po_fanout',
  version: '1.0.0',
  steps: ['sup_alpha', 'sup_beta', 'sup_alpha'].map((supplier, at) => ({
    id: `draft_${at}`,
    tool: 'create_purchase_order',
    inputs: { ...order(supplier, 10 + at), ...(at === 2 && { currency: 'GBP' }) },
  })),
};

async function undoneFanOut({ purchasing }: DemoPeople, case_id: string): Promise<string> {
  const headers = { 'idempotency-key': reference('po-fanout'), prefer: 'wait=10' };
  const body = { definition: fanOut, case_id };
  const sent = purchasing.api.POST('/v1/sagas', { body: body as never, headers: headers as never });
  return (await answerTo('saga po-fanout', sent)).saga_id;
}

/** Purchasing on the ledger of the pack operations: orders by rule, one that waits, one said twice, and a fan-out that was taken back. */
export async function purchases(people: DemoPeople): Promise<Told[]> {
  const { purchasing: agent, ben } = people;
  const case_id = await openCase(agent, 'purchases', 'Quote so_1001 of Northwind Traders was accepted');
  const of = (name: string, tool: string, inputs: object) =>
    call(agent, { name, tool, inputs: inputs as Record<string, unknown>, case_id });
  await of('quote-confirmed', 'confirm_quote', { quote_id: 'so_1001' });
  const small = await ended(agent, await of('order-by-rule', 'create_purchase_order', order('sup_alpha', 336)));
  await of('order-said-again', 'create_purchase_order', order('sup_alpha', 336, 'The supplier confirmed this price.'));
  const large = await of('order-edited', 'create_purchase_order', order('sup_alpha', 480));
  const edited = await vote(ben, large, { vote: 'edit', reason: '5,500 is enough', inputs: order('sup_alpha', 440) });
  const po_id = (small.output as { po_id?: string } | null)?.po_id;
  if (po_id !== undefined) await of('order-confirmed', 'confirm_purchase_order', { po_id });
  const fan_out = await undoneFanOut(people, case_id);
  return [
    { what: 'an order of 4,200 that ran by rule', where: `/calls/${small.call_id}` },
    { what: 'an order of 6,000 that Ben edited down waits for you', where: `/approvals/${edited ?? ''}` },
    { what: 'a fan-out whose drafts were cancelled, because one order was refused', where: `/sagas/${fan_out}` },
    { what: 'the case of the accepted quote', where: `/cases/${case_id}` },
  ];
}
