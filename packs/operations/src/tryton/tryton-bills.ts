import { marked, markOf, marksIn, unmarked } from '../hermes/attempt-mark.js';
import type { Attempt, Values } from '../hermes/port.js';
import { announcementLost, checkNotAborted, conflict, notFound, refused } from '../hermes/refusal.js';
import { escaped, numberOf } from './tryton-ids.js';
import type { TrytonModels } from './tryton-model.js';

const INVOICE = 'account.invoice';
const BILLED_MAX = 100;

/** The bill that a supplier sent, in the shape of Tryton. */
interface SentBill {
  party: number;
  purchase: number;
  reference: string;
  total_amount: string;
  currency?: number;
}

/** A draft of Tryton. */
interface DraftBill {
  id: number;
  /** When it was last written. */
  timestamp: string;
}

/**
 * Announces the attempt in the draft that Tryton has for the order, and posts it. Tryton refuses both if somebody wrote the draft in
 * between, so that no bill is posted under the number of another. @returns the id of the bill
 */
export async function postBill(models: TrytonModels, values: Values, attempt: Attempt): Promise<number> {
  const bill = sentBill(values);
  const { id, timestamp } = await draftOf(models, bill, attempt.signal);
  const announced = { invoice_date: values.invoice_date, reference: marked(bill.reference, attempt.key) };
  checkNotAborted(attempt);
  await models.write(INVOICE, id, announced, attempt.signal, timestamp).catch(announcementLost);
  const announced_at = await announcedAt(models, id, attempt);
  checkNotAborted(attempt);
  await models.press(INVOICE, id, 'post', attempt.signal, announced_at);
  return id;
}

/** The timestamp of a draft with the mark of the attempt. */
async function announcedAt(models: TrytonModels, id: number, { key, signal }: Attempt): Promise<string> {
  const names = ['reference', '_timestamp'];
  const [draft] = await models.search(INVOICE, [['id', '=', id]], names, 1, signal).catch(announcementLost);
  if (draft && marksIn(String(draft.reference ?? '')).includes(markOf(key))) return String(draft._timestamp);
  throw conflict('changed_since', `somebody changed the bill ${id} in Tryton: read the order again`);
}

const sentBill = ({ party, purchase, reference, total_amount, currency }: Values): SentBill => ({
  party: numberOf(party),
  purchase: numberOf(purchase),
  reference: unmarked(String(reference ?? '')),
  total_amount: String(total_amount),
  ...(currency === undefined ? {} : { currency: numberOf(currency) }),
});

/**
 * The draft that Tryton made for a confirmed order. A bill is never created beside it: the order would be billed twice.
 * @throws ToolError that names the input in the words of the agent
 */
async function draftOf(models: TrytonModels, bill: SentBill, signal: AbortSignal): Promise<DraftBill> {
  const [order] = await models.search('purchase.purchase', [['id', '=', bill.purchase]], ['party', 'invoices'], 1, signal);
  if (!order) throw notFound('/purchase_order', String(bill.purchase));
  if (order.party !== bill.party) throw refused('/purchase_order', 'other_supplier', 'is an order to another supplier');
  await checkNotPosted(models, bill, signal);
  const waits = [
    ['id', 'in', order.invoices],
    ['state', '=', 'draft'],
  ];
  const drafts = await models.search(INVOICE, waits, ['total_amount', 'currency', '_timestamp'], BILLED_MAX, signal);
  if (drafts.length === 0) throw refused('/purchase_order', 'nothing_to_bill', 'has no bill in Tryton that waits to be posted');
  const draft = drafts.find(({ total_amount }) => plain(String(total_amount)) === plain(bill.total_amount));
  const expected = drafts.map(({ total_amount }) => String(total_amount)).join(', ');
  if (!draft) throw refused('/total', 'other_total', `is not what Tryton expects for this order: ${expected}`);
  if (bill.currency !== undefined && bill.currency !== draft.currency)
    throw refused('/currency', 'currency_of_party', 'is not the currency of this order');
  return { id: Number(draft.id), timestamp: String(draft._timestamp) };
}

/** Tryton finds a bill that was posted before by its reference, in which the mark of an attempt stands behind the number. */
async function checkNotPosted(models: TrytonModels, { party, reference }: SentBill, signal: AbortSignal): Promise<void> {
  const same = ['OR', ['reference', '=', reference], ['reference', 'like', `${escaped(reference)} cs:%`]];
  const domain = [['type', '=', 'in'], ['party', '=', party], ['state', 'in', ['validated', 'posted', 'paid']], same];
  const found = await models.search(INVOICE, domain, [], 1, signal);
  if (found.length > 0) throw refused('/invoice_number', 'posted_before', `${reference} of this supplier is posted already`);
}

/** `625.00` and `625.0` are one amount. */
const plain = (amount: string): string => (amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount);
