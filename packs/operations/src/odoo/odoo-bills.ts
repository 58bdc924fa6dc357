import { marked, unmarked } from '../hermes/attempt-mark.js';
import type { Attempt, Values } from '../hermes/port.js';
import { announcementLost, checkNotAborted, notFound, refused } from '../hermes/refusal.js';
import type { OdooApi } from './odoo-api.js';
import type { OdooRecords } from './odoo-records.js';
import { escaped, numberOf, plain } from './odoo-values.js';

const MOVE = 'account.move';
const ORDER = 'purchase.order';
const BILLED_MAX = 100;
const ORDERED = 'purchase';

/** The bill that a supplier sent, in the shape of Odoo. */
interface SentBill {
  partner_id: number;
  purchase: number;
  ref: string;
  invoice_date: unknown;
  amount_total: string;
  currency_id?: number;
}

/**
 * Announces the attempt in the draft bill of the order, and posts it. Where Odoo has no draft yet, it makes one of what is not billed yet: its
 * own method knows accounts, taxes and quantities. Odoo does not tell whether somebody changed the draft in between. @returns the id of the bill
 */
export async function postBill(api: OdooApi, records: OdooRecords, values: Values, attempt: Attempt): Promise<number> {
  const bill = sentBill(values);
  const id = await draftOf(api, records, bill, attempt);
  const vals = { ref: marked(bill.ref, attempt.key), invoice_date: bill.invoice_date };
  checkNotAborted(attempt);
  await api.call(MOVE, 'write', { ids: [id], vals }, attempt.signal).catch(announcementLost);
  checkNotAborted(attempt);
  await api.call(MOVE, 'action_post', { ids: [id] }, attempt.signal);
  return id;
}

const sentBill = ({ partner_id, purchase, reference, invoice_date, amount_total, currency_id }: Values): SentBill => ({
  partner_id: numberOf(partner_id),
  purchase: numberOf(purchase),
  ref: unmarked(String(reference ?? '')),
  invoice_date,
  amount_total: String(amount_total),
  ...(currency_id === undefined ? {} : { currency_id: numberOf(currency_id) }),
});

/** The draft bill of an order. @throws ToolError that names the input in the words of the agent */
async function draftOf(api: OdooApi, records: OdooRecords, bill: SentBill, attempt: Attempt): Promise<number> {
  const order = await orderOf(records, bill);
  if (order.partner_id !== bill.partner_id) throw refused('/purchase_order', 'other_supplier', 'is an order to another supplier');
  if (bill.currency_id !== undefined && bill.currency_id !== order.currency_id)
    throw refused('/currency', 'currency_of_party', 'is not the currency of this order');
  await checkNotPosted(records, bill);
  const waiting = await drafts(records, order);
  if (waiting.length > 0) return chosen(waiting, bill);
  if (order.state !== ORDERED) throw refused('/purchase_order', 'nothing_to_bill', 'is not confirmed: it has no bill');
  if ((order.invoice_ids as number[]).length > 0)
    throw refused('/purchase_order', 'nothing_to_bill', 'has no bill that waits to be posted');
  checkTotal([order], bill);
  checkNotAborted(attempt);
  await api.call(ORDER, 'action_create_invoice', { ids: [bill.purchase] }, attempt.signal).catch(announcementLost);
  return chosen(await drafts(records, await orderOf(records, bill)), bill);
}

async function orderOf(records: OdooRecords, { purchase }: SentBill): Promise<Values> {
  const fields = ['state', 'partner_id', 'currency_id', 'amount_total', 'invoice_ids'];
  const [order] = await records.search(ORDER, [['id', '=', purchase]], fields, 1);
  if (!order) throw notFound('/purchase_order', String(purchase));
  return { ...plain(order), invoice_ids: order.invoice_ids || [] };
}

function drafts(records: OdooRecords, { invoice_ids }: Values): Promise<Values[]> {
  return records.raw(
    'vendor_bill',
    [
      ['id', 'in', invoice_ids],
      ['state', '=', 'draft'],
    ],
    BILLED_MAX,
  );
}

function chosen(waiting: readonly Values[], bill: SentBill): number {
  return Number(checkTotal(waiting, bill).id);
}

/** @throws ToolError if none has the total of the bill */
function checkTotal(records: readonly Values[], { amount_total }: SentBill): Values {
  const found = records.find((record) => Number(record.amount_total) === Number(amount_total));
  const expected = records.map((record) => String(record.amount_total)).join(', ');
  if (!found) throw refused('/total', 'other_total', `is not what Odoo expects for this order: ${expected}`);
  return found;
}

/** A bill that was posted before has its number as reference, with the mark of an attempt behind it. */
async function checkNotPosted(records: OdooRecords, { partner_id, ref }: SentBill): Promise<void> {
  const same = ['|', ['ref', '=', ref], ['ref', '=like', `${escaped(ref)} cs:%`]];
  const domain = [['partner_id', '=', partner_id], ['state', '=', 'posted'], ...same];
  const found = await records.raw('vendor_bill', domain, 1);
  if (found.length > 0) throw refused('/invoice_number', 'posted_before', `${ref} of this supplier is posted already`);
}
