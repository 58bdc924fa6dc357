import type { Api } from '../journeys/api.js';
import { literal, move, saga, sequence, step } from '../sagas/blocks.js';
import { openApiDocument, sagaThatReads, sagaThatWaits } from './probe-bodies.js';

/** Part of every text of acme, but of none of its ids: a response that contains it reveals data of acme. */
export const MARK = 'AcmeOnlyMark';
export const SECRET = 'a secret of acme';

/** The values of a parameter: an object that acme has, and one of the same kind that does not exist. */
export interface Named {
  acmes: string;
  nobodys: string;
  /** Every tenant has both objects, and only acme used its own: the responses differ in more than the name. */
  shared?: boolean;
}

const named = (acmes: string, nobodys: string): Named => ({ acmes, nobodys });

const PATIENCE_MS = 30_000;
const pause = () => new Promise((later) => setTimeout(later, 100));

async function made<T extends object>(api: Api, method: string, url: string, body?: unknown, prefer = {}): Promise<T> {
  const answer = await api.request<T>(method, url, body, prefer);
  if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Polls until the value exists. */
async function found<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await pause()) {
    const it = await ask();
    if (it !== undefined) return it;
  }
  throw new Error('acme has not got what it made within 30 s');
}

/** A tenant that has an object of every kind that can be named. */
export class Acme {
  has_producer = false;
  /** By `<resource>.<parameter>`, or by the parameter alone. */
  readonly names = new Map<string, Named>();

  private constructor(
    readonly admin: Api,
    readonly agent: Api,
  ) {}

  static async furnish(installation: Api): Promise<Acme> {
    const admin = await installation.keyFor('user', 'root', ['admin', 'agent', 'approver'], 'acme');
    const agent = await installation.keyFor('agent', 'acme-agent', ['agent'], 'acme');
    const acme = new Acme(admin, agent);
    acme.nameWhatIsShared();
    await acme.rule();
    await acme.work();
    await acme.approve();
    await acme.administer();
    await acme.measure();
    await acme.compare(installation);
    return acme;
  }

  /** A comparison of the log, which belongs to the installation. */
  private async compare(installation: Api): Promise<void> {
    const { run_id } = await made<{ run_id: string }>(installation, 'POST', '/v1/scrubs', { views: false });
    this.names.set('scrubs.run_id', named(run_id, '019aa000-0000-7000-8000-000000000000'));
  }

  name(resource: string, parameter: string): Named | undefined {
    return this.names.get(`${resource}.${parameter}`) ?? this.names.get(parameter);
  }

  idOf(parameter: string): string {
    return (this.names.get(parameter) as Named).acmes;
  }

  /** Everything that acme sees of itself. */
  async sees(): Promise<string> {
    const { call_id, case_id } = { call_id: this.idOf('call_id'), case_id: this.idOf('case_id') };
    const urls = [`/v1/calls/${call_id}`, `/v1/cases/${case_id}`, `/v1/cases/${case_id}/history`, '/v1/approvals?status=pending'];
    const lists = [
      'keys',
      'delegations',
      'vote-delegations',
      'secrets',
      'policies',
      'policies/tools',
      'policies/active',
      'policies/settings',
    ];
    const more = [
      'limits',
      'facts',
      'webhooks',
      'personal-data',
      'grants',
      'mappings',
      'identity-providers',
      'token-exchanges',
      'person-links',
      'retention',
      'upstreams',
    ];
    urls.push('/v1/sagas', `/v1/sagas/${this.idOf('saga_id')}`);
    const saga = 'saga-definitions/acme-trip/versions/1.0.0';
    const histories = [
      'saga-definitions',
      'openapi-imports',
      'openapi-imports/acmeapi',
      saga,
      `${saga}/chart`,
      'facts/acme_table',
      'policies/acme-1',
      'mappings/read_file/versions',
      'limits/acme-limit/versions',
    ];
    const shared = ['tools/probe_report/ratings', 'tools/probe_report/versions/1.0.0'];
    for (const name of [...lists, ...more, ...histories, ...shared]) urls.push(`/v1/${name}`);
    const seen = [];
    for (const url of urls) seen.push(`${url}: ${JSON.stringify(await made<object>(this.admin, 'GET', url))}`);
    // Trust scores decay every second.
    return seen.join('\n').replace(/"trust_score":[\d.]+/g, '');
  }

  private nameWhatIsShared(): void {
    for (const resource of ['tools.name', 'tools.tool', 'tool'])
      this.names.set(resource, { ...named('probe_report', 'probe_read'), shared: true });
    for (const resource of ['policies.tool', 'mappings.tool'])
      this.names.set(resource, { ...named('read_file', 'search_files'), shared: true });
    this.names.set('tools.version', named('1.0.0', '1.0.0')).set('secrets.scope', named('workspace', 'workspace'));
    this.names.set('projections.name', named('approval-inbox', 'nobodys-inbox')).set('tenant_id', named('acme', 'nobodys'));
    this.names.set('adapter', named('acmes-adapter', 'nobodys-adapter')).set('environment', named('acmes', 'nobodys'));
    this.names.set('provider', named('local', 'nobodys'));
  }

  /** Its policy, and its rules for personal data. */
  private async rule(): Promise<void> {
    const put = (url: string, body: unknown) => made(this.admin, 'PUT', url, body);
    await put('/v1/policies/tools/read_file', { tier: 'tier_2_approval_required', rule_id: MARK });
    const kind = { kind: 'max_tool_calls', scope: 'agent', max: 1000 };
    await put('/v1/limits/acme-limit', { ...kind, subjects: ['acme-agent', MARK] });
    this.names.set('limit_id', named('acme-limit', 'nobodys-limit'));
    await put('/v1/facts/acme_table', { rows: [MARK] });
    this.names.set('table', named('acme_table', 'nobodys_table'));
    await made(this.admin, 'POST', '/v1/openapi-imports', openApiDocument('acmeapi'));
    this.names.set('openapi-imports.name', named('acmeapi', 'nobodysapi'));
    await put('/v1/personal-data/acme-rule', { tools: ['write_file', MARK], subjects: ['/path'] });
    this.names.set('rule_id', named('acme-rule', 'nobodys-rule')).set('subject_id', named('acmes-person', 'nobodys-person'));
    // Without its secret it is not connected to.
    await put('/v1/upstreams/acmes', { url: 'https://mcp.example.com/mcp', credentials: [{ secret: MARK }] });
    this.names.set('upstreams.name', named('acmes', 'nobodys'));
    const rules = [{ id: 'one', description: MARK, tools: 'read_file', when: 'false', effect: 'deny' }];
    for (const version of ['acme-1', 'acme-2']) await made(this.admin, 'POST', '/v1/policies', { version, rules });
    await put('/v1/policies/active', { version: 'acme-1' });
    await put('/v1/saga-definitions/acme-trip/versions/1.0.0', sagaThatReads(MARK, { name: 'acme-trip', version: '1.0.0' }));
    this.names.set('saga-definitions.name', named('acme-trip', 'nobodys-trip')).set('saga-definitions.version', named('1.0.0', '1.0.1'));
    // The first is for routes that use a version, the second for routes that publish one: afterwards the rival's own version exists.
    this.names.set('version', named('acme-1', 'nobodys-1')).set('published', named('acme-2', 'nobodys-2'));
  }

  /** A saga that waits for an event. */
  private async saga(case_id: string): Promise<void> {
    await made(this.agent, 'POST', '/v1/sagas', {
      ...{ saga_id: 'acmes-saga', case_id },
      definition: sagaThatWaits('acmes-journey', MARK),
    });
    this.names.set('saga_id', named('acmes-saga', 'nobodys-saga')).set('step_id', named('acmes_wait', 'nobodys_wait'));
    this.names.set('sagas.definition', named('acmes-journey', 'nobodys-journey'));
    await this.sagaWithTicket(case_id);
  }

  /** A saga whose calls and ticket can be found: a step of it fails, and then so does the compensation of the step before. */
  private async sagaWithTicket(case_id: string): Promise<void> {
    const inputs = { path: 'acmes-saga', content: MARK, mode: 'create' };
    await made(this.agent, 'POST', '/v1/calls', { tool: 'write_file', inputs }, { prefer: 'wait=30' });
    const [source, destination] = [literal(`missing ${MARK}`), literal('acmes-saga')];
    const compensation = { tool: 'move_file', version: '^1.0.0', inputs: { source, destination } };
    const moves = move('acmes_move', 'acmes-saga', 'acmes-saga-moved', { compensation });
    const fails = step('acmes_failure', 'list_directory', { path: source });
    const definition = saga(sequence(moves, fails), { name: 'acmes-failure' });
    await made(this.agent, 'POST', '/v1/sagas', { saga_id: 'acmes-failed-saga', case_id, definition });
    const tickets = '/v1/saga-tickets?saga_id=acmes-failed-saga';
    await found(async () => (await made<{ items: object[] }>(this.admin, 'GET', tickets)).items[0]);
    for (const resource of ['calls', 'saga-tickets']) this.names.set(`${resource}.saga_id`, named('acmes-failed-saga', 'nobodys-saga'));
  }

  /** Calls of a case and of a run, and their results. */
  private async work(): Promise<void> {
    const call = (by: Api, body: object) =>
      made<{ call_id: string; attachments: { url: string }[] }>(by, 'POST', '/v1/calls', body, { prefer: 'wait=30' });
    const own = { external_id: 'PO-acmes-118', metadata: { order: MARK } };
    const { case_id } = await made<{ case_id: string }>(this.admin, 'POST', '/v1/cases', { title: MARK, ...own });
    this.names.set('external_id', named(own.external_id, 'PO-nobodys-118'));
    this.names.set('case_id', named(case_id, 'nobodys-case'));
    const inputs = { path: 'acmes-person', content: MARK, mode: 'create' };
    const { call_id } = await call(this.agent, {
      tool: 'write_file',
      inputs,
      case_id,
      context: { run_id: 'acmes-run' },
      external_id: own.external_id,
    });
    this.names.set('call_id', named(call_id, `${call_id.split('-')[0]}-0197b3a0-1111-7111-8111-111111111111`));
    await this.saga(case_id);
    await made(this.admin, 'PUT', '/v1/runs/acmes-run/transcript', { prompt: MARK, messages: [{ role: 'user', content: MARK }] });
    this.names.set('run_id', named('acmes-run', 'nobodys-run'));
    const report = await call(this.admin, { tool: 'probe_report', inputs: { name: MARK } });
    const blob = decodeURIComponent(report.attachments[0]?.url.split('/').at(-1) as string);
    this.names.set('blobs.name', named(blob, `${'0'.repeat(64)}${blob.slice(64)}`));
    // Its credentials are missing, of which operators are notified.
    const refused = await call(this.agent, { tool: 'probe_token', inputs: { url: 'http://127.0.0.1:9/' } });
    this.names.set('security-events.call_id', named(refused.call_id, this.names.get('call_id')?.nobodys as string));
    for (const agent of ['agent', 'agent_id', 'principal_id', 'principal', 'caller'])
      this.names.set(agent, named('acme-agent', 'nobodys-agent'));
    await this.find();
  }

  /** Further attributes by which calls and cases are found. */
  private async find(): Promise<void> {
    await made(this.admin, 'POST', '/v1/delegations', { agent_id: 'acme-agent' });
    const body = { tool: 'list_directory', inputs: { path: 'for root' }, on_behalf_of: 'root' };
    const { trace_id } = await made<{ trace_id: string }>(this.agent, 'POST', '/v1/calls', body);
    this.names.set('on_behalf_of', named('root', 'nobodys-user')).set('trace_id', named(trace_id, '1'.repeat(32)));
    this.names.set('calls.text', named('acmes-run', 'nobodys-run')).set('cases.text', named(MARK.slice(0, -4), 'NobodysOnly'));
  }

  /** A waiting approval, and one that created a grant. */
  private async approve(): Promise<void> {
    const { case_id } = await made<{ case_id: string }>(this.admin, 'POST', '/v1/cases', { title: MARK });
    const ask = async (of: string) => {
      const body = { tool: 'read_file', inputs: { path: `${MARK}.txt` }, case_id: of };
      return (await made<{ approval: { approval_id: string } }>(this.agent, 'POST', '/v1/calls', body)).approval.approval_id;
    };
    const grant = { scope: 'case', for_ms: 7_200_000 };
    await made(this.admin, 'POST', `/v1/approvals/${await ask(case_id)}/votes`, { vote: 'approve', reason: MARK, grant });
    const first = async () => (await made<{ items: { grant_id: string }[] }>(this.admin, 'GET', '/v1/grants')).items[0];
    this.names.set('grant_id', named((await found(first)).grant_id, '0197b3a0-1111-7111-8111-111111111111'));
    const approval_id = await ask(this.idOf('case_id'));
    for (const name of ['approval_id', 'like']) this.names.set(name, named(approval_id, '0197b3a0-1111-7111-8111-111111111111'));
  }

  private async administer(): Promise<void> {
    const nobodys = '0197b3a0-1111-7111-8111-111111111111';
    const principal = { kind: 'user', id: MARK, roles: ['agent'] };
    this.names.set('key_id', named((await made<{ key_id: string }>(this.admin, 'POST', '/v1/keys', { principal })).key_id, nobodys));
    // An embedded installation has no producers: its routes are probed, but acme gets nothing from them itself.
    const producer = { producer_id: 'acmes-producer', principal: { kind: 'agent', id: MARK, roles: ['agent'] } };
    const { status } = await this.admin.request('POST', '/v1/producers', producer);
    if (status !== 201 && status !== 409) throw new Error(`POST /v1/producers answers ${status}`);
    this.has_producer = status === 201;
    this.names.set('producer_id', named('acmes-producer', 'nobodys-producer'));
    const until = new Date(Date.now() + 86_400_000).toISOString();
    for (const [resource, body] of [
      ['delegations', { agent_id: MARK }],
      ['vote-delegations', { to: MARK, until }],
    ] as const) {
      const { delegation_id } = await made<{ delegation_id: string }>(this.admin, 'POST', `/v1/${resource}`, body);
      this.names.set(`${resource}.delegation_id`, named(delegation_id, nobodys));
    }
    const hook = { url: 'https://hooks.example.com/acme', description: MARK, state: 'disabled' };
    this.names.set('webhook_id', named((await made<{ webhook_id: string }>(this.admin, 'POST', '/v1/webhooks', hook)).webhook_id, nobodys));
    await made(this.admin, 'PUT', '/v1/secrets/workspace/AcmeName', { value: SECRET });
    const exchange = { token_endpoint: 'https://sts.example.com/token', client_id: MARK, client_secret: 'AcmeName', audience: MARK };
    await made(this.admin, 'PUT', '/v1/token-exchanges/AcmeName', exchange);
    const marked = { issuer: 'local', subject: MARK };
    const link = { one: marked, other: { ...marked, issuer: 'https://acmes.example.com' }, relation: 'different', reason: MARK };
    await made(this.admin, 'PUT', '/v1/person-links/acme-link', link);
    this.names.set('link_id', named('acme-link', 'nobodys-link'));
    for (const resource of ['secrets', 'token-exchanges']) this.names.set(`${resource}.name`, named('AcmeName', 'NobodysName'));
    const provider = { issuer: 'https://acmes.example.com', audiences: ['urn:countersign:tenant:acme'], roles_claim: MARK };
    await made(this.admin, 'PUT', '/v1/identity-providers/acmes', provider);
    this.names
      .set('provider_id', named('acmes', 'nobodys'))
      .set('issuer', named('https://acmes.example.com', 'https://nobodys.example.com'));
    await made(this.admin, 'PUT', '/v1/mappings/read_file', { mode: 'permissive', inputs: [], tables: { [MARK]: { a: 'b' } } });
  }

  /** Ratings of a tool that all tenants have, and its records on the log. */
  private async measure(): Promise<void> {
    await made(this.admin, 'POST', '/v1/tools/probe_report/ratings', { rating: 1, comment: MARK });
    const tool = '/v1/tools/probe_report/versions/1.0.0';
    await made(this.admin, 'PUT', `${tool}/audit`, { audit_status: 'third_party', auditor: MARK, report: MARK });
    await made(this.admin, 'PUT', `${tool}/lifecycle`, { state: 'blocked', reason: MARK });
    const events = `/v1/audit/events?call_id=${this.idOf('call_id')}`;
    const first = async () => (await this.admin.request<{ items?: { event_id: string }[] }>('GET', events)).body.items?.[0];
    this.names.set('event_id', named((await found(first)).event_id, '0197b3a0-1111-7111-8111-111111111111'));
  }
}
