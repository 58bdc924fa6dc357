/** The value of a parameter: acme's, or one that does not exist. */
export type NameOf = (parameter: string) => string;

const PIN = '0'.repeat(64);
const UNTIL = new Date(Date.now() + 86_400_000).toISOString();
const rules = [{ id: 'probe', tools: 'probe_report', when: 'false', effect: 'deny' }];
const secret = () => ({ value: 'a rival value' });
const limit = { kind: 'max_tool_calls', scope: 'run', subjects: ['nobodys-run'], max: 1000 };
const invoice_id = { type: 'string', description: 'number of the invoice' };
const amount = { type: 'number' };
const httpTool = {
  name: 'read_invoice',
  version: '1.0.0',
  title: 'Read an invoice',
  description: 'Reads an invoice by its number and gives its amount.',
  category: 'billing',
  endpoint: 'https://tools.example.com/invoices',
  effect_class: 'read_external',
  input_schema: { type: 'object', additionalProperties: false, properties: { invoice_id }, required: ['invoice_id'] },
  output_schema: { type: 'object', additionalProperties: false, properties: { amount }, required: ['amount'] },
};
/** A document of one operation, with a name that appears in its tools. */
export const openApiDocument = (name: string) => ({
  ...{ name, base_url: 'https://api.example.com' },
  document: {
    ...{ openapi: '3.1.0', info: { title: 'Probe', version: '1' } },
    paths: { '/things': { get: { operationId: 'listThings', summary: 'List things', responses: { 200: { description: 'things' } } } } },
  },
});
const webhook = { url: 'https://hooks.example.com/probe', state: 'disabled' };
const versions = '/v1/tools/{name}/versions/{version}';

const sagaControl = (of: NameOf) => ({ step_id: of('step_id'), reason: 'probe' });

/** A saga that waits for an event. */
export const sagaThatWaits = (name: string, subject: string) => ({
  ...{ name, version: '1.0.0', wait_max_ms: 60_000 },
  root: { kind: 'wait', name: 'acmes_wait', wait: 'event', subject, timeout_ms: 3_600_000, on_timeout: 'fail' },
});

/** A saga definition of one step. */
export const sagaThatReads = (path: string, more: { name: string; version: string }) => ({
  ...more,
  wait_max_ms: 60_000,
  root: {
    kind: 'step',
    name: 'read',
    manual: `read ${path}`,
    use: { tool: 'read_file', version: '^1.0.0', inputs: { path: { literal: path } } },
  },
});

/**
 * By method and path: a body that matches the schema, so that a probe reaches its target. A route with a body that is missing here fails
 * the probes.
 */
export const bodies: Readonly<Record<string, (of: NameOf, tenant_id: string) => unknown>> = {
  'POST /v1/calls': (of) => ({ tool: 'list_directory', inputs: { path: '.' }, case_id: of('case_id'), sources: [of('call_id')] }),
  'POST /v1/calls:batch': (of) => ({ calls: [{ tool: 'list_directory', inputs: { path: '.' }, case_id: of('case_id') }] }),
  'POST /v1/calls/{call_id}/cancel': () => ({ reason: 'probe' }),
  'POST /v1/calls/{call_id}/resolve': () => ({ resolution: 'happened', reason: 'probe' }),
  'POST /v1/calls/{call_id}/undo': () => ({ preview_digest: PIN }),
  'POST /v1/cases/{case_id}/undo': () => ({ preview_digest: PIN }),
  'POST /v1/calls:undo': (of) => ({ call_ids: [of('call_id')], preview: true }),
  'POST /v1/calls/{call_id}/approval-mode': () => ({ approval_mode: 'network' }),
  'POST /v1/cases': (of) => ({ title: 'probe', external_id: of('external_id') }),
  'PATCH /v1/cases/{case_id}': () => ({ state: 'closed' }),
  'POST /v1/cases/{case_id}/counterfactual': (of) => ({ changes: [{ kind: 'approval', approval_id: of('approval_id') }] }),
  'POST /v1/counterfactual': (of) => ({ changes: [{ kind: 'policy', version: of('version') }] }),
  'POST /v1/approvals/{approval_id}/votes': () => ({ vote: 'approve' }),
  'POST /v1/approvals/votes': (of) => ({ approval_ids: [of('approval_id')], vote: 'approve' }),
  'POST /v1/vote-delegations': () => ({ to: 'nobodys-deputy', until: UNTIL }),
  'POST /v1/delegations': (of) => ({ agent_id: of('agent') }),
  'POST /v1/tools': () => httpTool,
  'PUT /v1/upstreams/{name}': () => ({ url: 'https://mcp.example.com/mcp', credentials: [{ secret: 'Nobodys' }] }),
  'POST /v1/upstreams/{name}/classifications': () => ({ tools: [{ tool: 'read', digest: PIN, effect_class: 'read_external' }] }),
  'POST /v1/openapi-imports': (of) => openApiDocument(of('openapi-imports.name')),
  'POST /v1/openapi-imports:plan': (of) => openApiDocument(of('openapi-imports.name')),
  'POST /v1/webhooks': () => webhook,
  'PUT /v1/webhooks/{webhook_id}': () => webhook,
  'PUT /v1/runs/{run_id}/transcript': () => ({ prompt: 'probe', messages: [] }),
  [`PUT ${versions}/lifecycle`]: () => ({ state: 'blocked' }),
  [`PUT ${versions}/pin`]: () => ({ pin: PIN }),
  [`PUT ${versions}/audit`]: () => ({ audit_status: 'unaudited' }),
  [`POST ${versions}/evaluations`]: (of) => {
    const of_none = { contract_digest: PIN, passed: 0, failed: 0, cases: [], verified_at: UNTIL };
    return { tool: of('name'), version: of('version'), ...of_none };
  },
  'POST /v1/tools/{name}/ratings': () => ({ rating: 1 }),
  'PUT /v1/adapters/{adapter}/environments/{environment}': () => ({ adapter_version: '1' }),
  'PUT /v1/mappings/{tool}': () => ({ mode: 'permissive', inputs: [] }),
  'POST /v1/mappings/{tool}/rollback': () => ({ version: 1 }),
  'POST /v1/mappings/{tool}/activate': () => ({ version: 1 }),
  'POST /v1/mappings:try': (of) => ({ tool: of('mappings.tool'), inputs: [{}] }),
  'PUT /v1/saga-definitions/{name}/versions/{version}': (of) => sagaThatReads('probe', { name: of('name'), version: of('version') }),
  'POST /v1/saga-definitions:check': (of) => {
    const [name, version] = [of('saga-definitions.name'), of('saga-definitions.version')];
    return sagaThatReads('probe', { name, version });
  },
  'POST /v1/sagas': (of) => ({ definition: { name: of('saga-definitions.name') }, case_id: of('case_id'), saga_id: of('saga_id') }),
  ...Object.fromEntries(
    ['pause', 'resume', 'cancel', 'retry', 'accept', 'done-by-hand'].map((act) => [`POST /v1/sagas/{saga_id}/${act}`, sagaControl]),
  ),
  'POST /v1/sagas/{saga_id}/waits/{step_id}': () => ({ outcome: 'answered', answer: 'probe' }),
  'PUT /v1/policies/tools/{tool}': () => ({ tier: 'tier_1_auto' }),
  'POST /v1/policies/tools/{tool}/resolve': (of) => ({ inputs: { path: 'probe' }, case_id: of('case_id') }),
  'POST /v1/policies': (of) => ({ version: of('published'), rules }),
  'PUT /v1/policies/active': (of) => ({ version: of('version') }),
  'POST /v1/policies:check': () => ({ bundle: { rules } }),
  'POST /v1/policies:simulate': (of) => ({ bundle: { rules }, call_ids: [of('call_id')], case_id: of('case_id') }),
  'PUT /v1/policies/settings': () => ({ simulation_required: false }),
  'POST /v1/tenants': (of) => ({ tenant_id: of('tenant_id') }),
  'PUT /v1/tenants/{tenant_id}': () => ({ weight: 2 }),
  'PATCH /v1/keys/{key_id}': () => ({ name: 'probe' }),
  'POST /v1/producers': (of) => ({
    tenant_id: of('tenant_id'),
    producer_id: 'probe',
    principal: { kind: 'agent', id: 'probe', roles: ['agent'] },
  }),
  'POST /v1/keys': (of) => ({ tenant_id: of('tenant_id'), principal: { kind: 'agent', id: 'probe', roles: ['agent'] } }),
  'PUT /v1/limits/{limit_id}': () => limit,
  'PUT /v1/facts/{table}': () => ({ rows: ['probe'] }),
  'PATCH /v1/facts/{table}': () => ({ set: { probe: true } }),
  'POST /access/v1/evaluation': (of) => ({
    subject: { type: 'agent', id: of('agent') },
    action: { name: 'call' },
    resource: { type: 'tool', id: 'read_file', properties: { path: 'probe' } },
  }),
  'PUT /v1/identity-providers/{provider_id}': (of, tenant_id) => ({
    issuer: of('issuer'),
    audiences: [`urn:countersign:tenant:${tenant_id}`],
  }),
  'PUT /v1/token-exchanges/{name}': (of) => ({
    token_endpoint: 'https://sts.example.com/token',
    client_id: 'probe',
    client_secret: of('name'),
    audience: 'probe',
  }),
  'PUT /v1/person-links/{link_id}': () => ({
    one: { issuer: 'local', subject: 'probe-one' },
    other: { issuer: 'https://idp.example.com', subject: 'probe-one' },
    relation: 'different',
    reason: 'probe',
  }),
  'PUT /v1/secrets/{scope}/{name}': secret,
  'POST /v1/secrets/{scope}/{name}/rotate': secret,
  'POST /v1/audit/cosignatures': () => ({ note: 'probe' }),
  'POST /v1/scrubs': () => ({ views: false }),
  'PUT /v1/personal-data/{rule_id}': () => ({ tools: ['nobodys_tool'] }),
  'POST /v1/subjects/{subject_id}/erase': () => ({ reason: 'probe' }),
  'POST /v1/dead-letters/{letter_id}/requeue': () => ({ reason: 'probe' }),
  'POST /v1/damages/accept': () => ({ damage_ids: ['0190a0a0-0000-7000-8000-000000000000'], reason: 'probe' }),
  'POST /v1/log/drops': () => ({ keep_months: 1200, dry_run: true }),
  'PUT /v1/retention': () => ({ rules: [] }),
  'POST /v1/retention/runs': () => ({ dry_run: true }),
};
