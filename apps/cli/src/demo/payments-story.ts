import { call, ended, openCase, vote } from './demo-calls.js';
import type { DemoPeople } from './demo-people.js';
import type { Told } from './told.js';

const SMALL = [62, 48.5, 75, 91.2, 55, 80, 66.4, 59, 70, 84.9, 52, 77];
const SUPPLIERS = ['Contoso', 'Fabrikam', 'Adventure Works'];

const payment = (name: string, supplier: string, amount: number, case_id: string) => ({
  name,
  tool: 'demo_pay_supplier',
  inputs: { supplier, amount, currency: 'EUR', invoice: `INV-${name}` },
  case_id,
});

/** What the past shows: small payments that ran, one that a person approved, and one that a person denied. */
async function past({ invoices, ben }: DemoPeople, case_id: string): Promise<void> {
  await Promise.all(SMALL.map((amount, n) => call(invoices, payment(`small-${n}`, SUPPLIERS[n % 3] as string, amount, case_id))));
  const approved = await call(invoices, payment('approved', 'Contoso', 420, case_id));
  await vote(ben, approved, { vote: 'approve', reason: 'matches the order' });
  await ended(invoices, approved);
  const denied = await call(invoices, payment('denied', 'Fabrikam', 800, case_id));
  await vote(ben, denied, { vote: 'deny', reason: 'the goods have not arrived' });
}

/** Payments: a history, requests that wait for people, one that policy denies, and a limit that is nearly used up. */
export async function payments(people: DemoPeople): Promise<Told[]> {
  const { invoices, ben, olivia } = people;
  const case_id = await openCase(invoices, 'invoices', 'Invoice run of November');
  await past(people, case_id);
  const first = await call(invoices, {
    ...payment('first-recipient', 'Northwind', 640, case_id),
    rationale: 'Invoice checked against the order; supplier is well known.',
  });
  const large = await call(invoices, payment('two-approvers', 'Adventure Works', 3900, case_id));
  await vote(ben, large, { vote: 'approve' });
  const editable = await call(invoices, payment('edited', 'Contoso', 2400, case_id));
  const edited = await vote(ben, editable, {
    vote: 'edit',
    reason: 'a discount of 250 was agreed',
    inputs: { supplier: 'Contoso', amount: 2150, currency: 'EUR', invoice: 'INV-edited' },
  });
  const blocked = await call(invoices, payment('blocked', 'Shady Trading Ltd', 90, case_id));
  const of = (approval: unknown) => `/approvals/${(approval as { approval_id: string } | null)?.approval_id ?? ''}`;
  return [
    { what: `a payment to a new supplier waits for you (${olivia.id}, who owns the agent, may not approve it)`, where: of(first.approval) },
    { what: 'a large payment has one of two approvals', where: of(large.approval) },
    { what: 'a payment that Ben edited waits for the second approval', where: `/approvals/${edited ?? ''}` },
    { what: 'policy denied a payment to a blocked supplier', where: `/calls/${blocked.call_id}` },
    { what: 'the limit of payments a day is nearly reached', where: '/policies?limit=demo-payments-per-day' },
    { what: 'the case with all payments', where: `/cases/${case_id}` },
  ];
}
