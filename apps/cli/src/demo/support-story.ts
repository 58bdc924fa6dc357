import { call, openCase } from './demo-calls.js';
import type { DemoPeople } from './demo-people.js';
import type { Told } from './told.js';

/** Customer support: a mail whose address a mapping changes, a courier whose order is in doubt, and a deprecated tool. */
export async function support({ support: agent }: DemoPeople): Promise<Told[]> {
  const case_id = await openCase(agent, 'complaint', 'Complaint of a customer on Far Island');
  await call(agent, {
    name: 'mail-inside',
    tool: 'demo_send_mail',
    inputs: { to: 'warehouse@example.com', subject: 'Replacement for order 1042', body: 'Please prepare one lamp.' },
    case_id,
  });
  const mapped = await call(agent, {
    name: 'mail-mapped',
    tool: 'demo_send_mail',
    inputs: { to: 'returns', subject: 'Return of order 1042', body: 'The lamp arrived broken. A photo is attached to the case.' },
    case_id,
    rationale: 'The supplier asked for the return note today.',
  });
  const doubt = await call(agent, {
    name: 'courier',
    tool: 'demo_order_courier',
    inputs: { address: '1 Lighthouse Road, Far Island', parcels: 1, reference: 'ORDER-1042' },
    case_id,
  });
  await call(agent, {
    name: 'letter',
    tool: 'demo_print_letter',
    inputs: { to: 'The customer of order 1042', text: 'We are sorry.' },
    case_id,
  });
  const approval_id = (mapped.approval as { approval_id: string } | null)?.approval_id ?? '';
  return [
    { what: 'a mail whose recipient the mapping completed waits for you', where: `/approvals/${approval_id}` },
    { what: 'an order of a courier is in doubt: its answer was lost', where: `/calls/${doubt.call_id}` },
    { what: 'a tool that is deprecated', where: '/tools/demo_print_letter' },
    { what: 'the case of the complaint', where: `/cases/${case_id}` },
  ];
}
