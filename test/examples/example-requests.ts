import type { Api } from '../journeys/api.js';
import { order } from '../journeys/journey-world.js';
import type { Acme } from '../tenants/acme.js';

/** What examples are recorded in. */
export interface ExampleWorld {
  acme: Acme;
  root: Api;
}

/** The request of an example where that of the probes is refused for what the tenant has. */
export interface ExampleRequest {
  url?: string;
  body?: unknown;
}

const VERSIONS = '/v1/tools/{name}/versions/{version}';

async function read<T>(by: Api, url: string): Promise<T> {
  return (await by.request<T>('GET', url)).body;
}

/** A call that waits for an approval. */
async function pending({ acme }: ExampleWorld): Promise<{ call_id: string; approval: { approval_id: string } }> {
  const { body } = await acme.agent.request('POST', '/v1/calls', { tool: 'read_file', inputs: { path: `${order().account}.txt` } });
  return body as never;
}

async function contractOf({ acme }: ExampleWorld): Promise<{ digest: string; pin: string }> {
  return await read(acme.admin, '/v1/tools/probe_report/versions/1.0.0');
}

const archiveNote = {
  ...{ name: 'archive-note', version: '1.0.0', wait_max_ms: 86_400_000 },
  root: {
    kind: 'step',
    name: 'move',
    use: {
      tool: 'move_file',
      version: '^1.1.0',
      inputs: { source: { literal: 'note.txt' }, destination: { literal: 'archive/note.txt' } },
    },
  },
};

/** By method and path. */
export const exampleRequests: Readonly<Record<string, (world: ExampleWorld) => Promise<ExampleRequest>>> = {
  'GET /v1/audit/consistency': async () => ({ url: '/v1/audit/consistency?first=1' }),
  'GET /v1/audit/entries': async () => ({ url: '/v1/audit/entries?first=0' }),
  'GET /v1/audit/proof': async ({ acme }) => ({ url: `/v1/audit/proof?event_id=${acme.idOf('event_id')}` }),
  'GET /v1/audit/leaves': async () => ({ url: '/v1/audit/leaves?topic=configuration-changed&partition=0&first=0' }),
  'GET /v1/audit/bundle': async ({ acme }) => ({ url: `/v1/audit/bundle?call_id=${acme.idOf('call_id')}` }),
  'POST /v1/calls': async () => ({ body: { tool: 'list_directory', inputs: { path: '.' }, context: { rationale: 'What is there?' } } }),
  'POST /v1/calls:batch': async () => ({ body: { calls: [{ tool: 'list_directory', inputs: { path: '.' } }] } }),
  'POST /v1/calls/{call_id}/cancel': async (world) => ({ url: `/v1/calls/${(await pending(world)).call_id}/cancel` }),
  'POST /v1/calls/{call_id}/resolve': async ({ acme }) => {
    const blind = { tool: 'probe_http_blind', inputs: order({ lose_answer: true }) };
    const { body } = await acme.agent.request<{ call_id: string }>('POST', '/v1/calls', blind);
    return { url: `/v1/calls/${body.call_id}/resolve`, body: { resolution: 'did_not_happen', reason: 'Not in the ledger.' } };
  },
  'POST /v1/approvals/{approval_id}/votes': async (world) => ({
    url: `/v1/approvals/${(await pending(world)).approval.approval_id}/votes`,
    body: { vote: 'approve', reason: 'The file is public.' },
  }),
  'PUT /v1/policies/tools/{tool}': async () => ({ body: { tier: 'tier_2_approval_required', rule_id: 'files-are-read-together' } }),
  'PUT /v1/saga-definitions/{name}/versions/{version}': async () => ({
    url: '/v1/saga-definitions/archive-note/versions/1.0.0',
    body: archiveNote,
  }),
  'POST /v1/sagas': async () => ({
    body: {
      definition: { name: 'greet', version: '1.0.0', steps: [{ id: 'look', tool: 'list_directory', inputs: { path: '.' } }] },
      saga_id: 'example-greeting',
    },
  }),
  'POST /v1/saga-definitions:check': async () => ({ body: { ...archiveNote, version: '1.1.0' } }),
  'POST /v1/cases': async () => ({
    body: { title: 'Refund of order 118', external_id: 'PO-2024-118', metadata: { order: '118' } },
  }),
  'POST /v1/tenants': async () => ({ body: { tenant_id: 'example', in_flight_max: 20 } }),
  'POST /v1/policies': async () => ({
    body: {
      version: 'example-1',
      rules: [{ id: 'no-deletion', tools: 'delete_file', when: 'true', effect: 'deny', description: 'Nothing is deleted.' }],
    },
  }),
  [`PUT ${VERSIONS}/pin`]: async (world) => ({ body: { pin: (await contractOf(world)).pin } }),
  [`POST ${VERSIONS}/evaluations`]: async (world) => ({
    body: {
      ...{ tool: 'probe_report', version: '1.0.0', contract_digest: (await contractOf(world)).digest },
      ...{ passed: 1, failed: 0, cases: [{ title: 'a report', passed: true }], verified_at: '2026-01-02T03:04:05Z' },
    },
  }),
};

/** Operations that need Kafka or the session of a browser, and that answer nothing. */
export const NOT_SENT: ReadonlySet<string> = new Set([
  'DELETE /v1/producers/{producer_id}',
  'DELETE /v1/session',
  'POST /v1/session:end-all',
]);

/** Operations whose answer has no example, and why. */
export const WITHOUT_EXAMPLE: Readonly<Record<string, string>> = {
  'GET /openapi.json': 'it is the document itself',
  'GET /asyncapi.json': 'a document of its own',
  'GET /metrics': 'docs/reference/metrics.md lists them',
  'GET /v1/audit/tile/{path}': 'hashes, in bytes',
  'GET /v1/blobs/{name}': 'a file of any kind',
  'GET /v1/decisions': 'its token is in a notification only',
  'POST /v1/decisions': 'its token is in a notification only',
  'GET /v1/sagas/{saga_id}': 'docs/how-to/sagas.md shows it',
  'POST /v1/sagas/{saga_id}/pause': 'answers a saga, as its start',
  'POST /v1/sagas/{saga_id}/resume': 'answers a saga, as its start',
  'POST /v1/sagas/{saga_id}/cancel': 'answers a saga, as its start',
  'POST /v1/sagas/{saga_id}/retry': 'needs a ticket',
  'POST /v1/sagas/{saga_id}/accept': 'needs a ticket',
  'POST /v1/sagas/{saga_id}/done-by-hand': 'needs a ticket',
  'POST /v1/sagas/{saga_id}/waits/{step_id}': 'needs a saga that waits',
  'POST /v1/audit/cosignatures': 'needs a witness',
  'GET /v1/audit/timestamp': 'needs a time-stamping authority: docs/reference/proofs.md',
  'POST /v1/upstreams/{name}/classifications': 'needs an MCP server: docs/how-to/upstreams.md',
  'POST /v1/calls/{call_id}/undo': 'needs an effect that can be undone, and its preview',
  'POST /v1/cases/{case_id}/undo': 'needs an effect that can be undone, and its preview',
  'POST /v1/damages/accept': 'needs a damaged record',
  'POST /v1/dead-letters/{letter_id}/requeue': 'needs a record that a service could not handle',
  'POST /v1/mappings/{tool}/activate': 'needs a mapping that waits for a second policy admin',
  'GET /v1/producers/{producer_id}': 'needs Kafka: docs/how-to/producers.md',
  'POST /v1/producers': 'needs Kafka: docs/how-to/producers.md',
  'POST /v1/session': 'takes a key from a page of the gateway: docs/how-to/sign-in.md',
  'POST /v1/session:link': 'takes the token of a one-time link: docs/how-to/sign-in.md',
  'GET /v1/session': 'needs the session of a browser',
  'GET /v1/session/openid/{provider_id}': 'needs an OpenID provider',
  'GET /v1/session/openid:callback': 'needs an OpenID provider',
  'POST /v1/sign-in-links': 'needs the first tenant of an installation: docs/how-to/sign-in.md',
  'GET /v1/usage/billing': 'needs a month that has ended',
};
