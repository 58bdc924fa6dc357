import type { TypedApi } from '@countersign/client';
import { answerTo, DemoFault } from './demo-fault.js';
import type { DemoPeople } from './demo-people.js';

/** Marks the policy of the demo, so that a policy of somebody else is never replaced. */
const DESCRIPTION = 'Policy of npm run demo';
const approvers = (quorum: number) => ({ approver_roles: ['approver'], quorum });

/** Rules with descriptions: approvers read them as the reason of a request. */
export const demoRules = [
  {
    id: 'blocked-suppliers',
    description: 'Shady Trading Ltd is on the list of blocked suppliers',
    tools: 'demo_pay_supplier',
    when: 'inputs.supplier == "Shady Trading Ltd"',
    effect: 'deny',
  },
  {
    id: 'large-payments',
    description: 'Payments of 2,000 and more need two approvers',
    tools: 'demo_pay_supplier',
    when: 'inputs.amount >= 2000.0',
    effect: 'require_approval',
    approval: approvers(2),
  },
  {
    id: 'payments',
    description: 'Payments of 100 to 2,000 need an approver',
    tools: 'demo_pay_supplier',
    when: 'inputs.amount >= 100.0 && inputs.amount < 2000.0',
    effect: 'require_approval',
    approval: approvers(1),
  },
  {
    id: 'small-payments',
    description: 'Payments below 100 run',
    tools: 'demo_pay_supplier',
    when: 'inputs.amount < 100.0',
    effect: 'allow',
  },
  {
    id: 'mails-outside',
    description: 'Mails to addresses outside of example.com need an approver',
    tools: 'demo_send_mail',
    when: '!mapped.to.endsWith("@example.com")',
    effect: 'require_approval',
    approval: approvers(1),
  },
];

const total = 'sum(inputs.line_items.map(l, double(l.quantity) * double(l.unit_price)))';

/** Rules for the tools of the pack operations, where it is loaded. */
export const purchaseRules = [
  {
    id: 'small-orders',
    description: 'Orders below 5,000 with a pre-approved supplier run',
    tools: 'create_purchase_order',
    when: `${total} < 5000.0 && inputs.supplier in ["sup_alpha", "sup_beta"]`,
    effect: 'allow',
  },
  {
    id: 'large-orders',
    description: 'Orders of 5,000 and more need two approvers',
    tools: 'create_purchase_order',
    when: `${total} >= 5000.0`,
    effect: 'require_approval',
    approval: approvers(2),
  },
  {
    id: 'moves-of-orders',
    description: 'Orders and quotes are confirmed',
    tools: ['confirm_quote', 'confirm_purchase_order'],
    effect: 'allow',
  },
];

/** Completes a name without a domain; what runs then is not what the agent sent. */
const mailMapping = {
  mode: 'permissive',
  inputs: [{ from: '/to', to: '/to', value: '$contains($, "@") ? $ : $ & "@suppliers.example"' }],
};

/** So much that the payments of the demo, with those that wait, nearly reach it. */
const paymentLimit = {
  kind: 'cumulative',
  scope: 'tenant',
  tools: ['demo_pay_supplier'],
  max: 9000,
  window_ms: 86_400_000,
  amount: 'inputs.amount',
};

/** Publishes the policy of the demo. @throws DemoFault if the installation has a policy of its own */
async function setPolicy({ admin }: DemoPeople, rules: readonly object[]): Promise<void> {
  const active = await activePolicy(admin.api);
  if (active?.description === DESCRIPTION) return;
  if (active) throw new DemoFault('the installation has a policy of its own, which the demo does not replace: use a fresh installation');
  const body = { description: DESCRIPTION, rules };
  const { version } = await answerTo('policy', admin.api.POST('/v1/policies', { body: body as never }));
  await answerTo('active policy', admin.api.PUT('/v1/policies/active', { body: { version, shadow: null } as never }));
}

async function activePolicy(api: TypedApi): Promise<{ description?: string | null } | undefined> {
  const { version } = await answerTo('active policy', api.GET('/v1/policies/active'));
  if (version === null) return undefined;
  return (await answerTo('policy', api.GET('/v1/policies/{version}', { params: { path: { version } } }))).bundle;
}

/** The mapping is published by one person and activated by another, as every mapping that computes a value. */
async function setMapping({ admin, ben }: DemoPeople): Promise<void> {
  const params = { path: { tool: 'demo_send_mail' } };
  const known = await admin.api.GET('/v1/mappings/{tool}', { params });
  if (known.response.ok) return;
  const published = (await answerTo('mapping', admin.api.PUT('/v1/mappings/{tool}', { params, body: mailMapping as never }))) as {
    version: number;
    state?: string;
  };
  if (published.state === 'waits_for_activation')
    await answerTo(
      'activation of the mapping',
      ben.api.POST('/v1/mappings/{tool}/activate', { params, body: { version: published.version } as never }),
    );
}

/** Policy, limit, mapping and the lifecycle of a tool. Each is set once. */
export async function demoSettings(people: DemoPeople, hasOperations: boolean): Promise<void> {
  await setPolicy(people, hasOperations ? [...demoRules, ...purchaseRules] : demoRules);
  await setMapping(people);
  const { api } = people.admin;
  const limit = { params: { path: { limit_id: 'demo-payments-per-day' } }, body: paymentLimit as never };
  await answerTo('limit', api.PUT('/v1/limits/{limit_id}', limit));
  const letter = { name: 'demo_print_letter', version: '1.0.0' };
  const body = { state: 'deprecated', reason: 'letters are mails now', use_instead: 'demo_send_mail@1.0.0' };
  await answerTo('lifecycle', api.PUT('/v1/tools/{name}/versions/{version}/lifecycle', { params: { path: letter }, body: body as never }));
}
