import { expect } from 'vitest';
import type { Api } from '../journeys/api.js';

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
  { id: 'moves', tools: ['confirm_quote', 'confirm_purchase_order', 'query_purchase_order'], effect: 'allow' },
];

/** Publishes and activates the rules of Korso's customer. */
export async function setPolicy(admin: Api): Promise<void> {
  const { body, status } = await admin.request<{ version: string }>('POST', '/v1/policies', { rules });
  expect([status, body]).toMatchObject([201, { version: expect.any(String) }]);
  expect((await admin.request('PUT', '/v1/policies/active', { version: body.version, shadow: null })).status).toBe(200);
}
