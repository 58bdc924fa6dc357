import { expect } from 'vitest';
import type { Api, Envelope } from '../journeys/api.js';
import { order } from '../journeys/journey-world.js';
import { Counterparty } from '../tools/counterparty/counterparty.js';
import { ConsoleWorld } from './console-world.js';

/** A platform with a counterparty, an agent that makes calls, and a person who looks at them. */
export class RecordsWorld {
  private constructor(
    readonly console: ConsoleWorld,
    private readonly counterparty: Counterparty,
    readonly agent: Api,
    readonly you: Api,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<RecordsWorld> {
    const counterparty = await Counterparty.start();
    const world = await ConsoleWorld.start({ COUNTERSIGN_PROBE_URL: counterparty.url, ...env });
    const agent = await world.admin.keyFor('agent', 'buying-agent', ['agent']);
    const you = await world.admin.keyFor('user', 'you', ['approver', 'operator', 'auditor', 'policy_admin']);
    return new RecordsWorld(world, counterparty, agent, you);
  }

  async close(): Promise<void> {
    await this.console.close();
    await this.counterparty.stop();
  }

  /** Opens a case of the agent. */
  async openCase(title: string): Promise<string> {
    const { body } = await this.agent.request<{ case_id: string }>('POST', '/v1/cases', { title });
    return body.case_id;
  }

  /** One call of the agent, as far as it gets within `wait_s`. */
  async call(tool: string, inputs: Record<string, unknown>, more: Record<string, unknown> = {}, wait_s = 20): Promise<Envelope> {
    const { status, body } = await this.agent.call({ tool, inputs, ...more }, { prefer: `wait=${wait_s}` });
    if (status >= 400) throw new Error(`${tool} answered ${status}: ${JSON.stringify(body).slice(0, 500)}`);
    return body;
  }

  /** A call that waits for an approval. */
  waiting(more: Record<string, unknown> = {}): Promise<Envelope> {
    return this.call('probe_approval', order({ amount: 450 }), more, 1);
  }

  /** A call whose outcome is unknown. */
  doubtful(more: Record<string, unknown> = {}): Promise<Envelope> {
    return this.call('probe_http_blind', order({ lose_answer: true }), more);
  }

  /** Waits until a checkpoint covers a call or a case: before that its evidence is refused for now. @param of `call_id=…` or `case_id=…` */
  async provable(of: string): Promise<void> {
    await expect.poll(async () => (await this.you.request('GET', `/v1/audit/bundle?${of}`)).status, { timeout: 20_000 }).toBe(200);
  }

  /** Publishes a policy, which decides nothing until it is activated; returns its version. */
  async policyVersion(): Promise<string> {
    const rules = [{ id: 'no-listing', tools: 'list_directory', effect: 'deny' }];
    const { status, body } = await this.you.request<{ version: string }>('POST', '/v1/policies', { rules });
    expect(status).toBe(201);
    return body.version;
  }

  /** An upstream that lists nothing: its secret does not exist. Returns its name. */
  async upstream(): Promise<string> {
    const body = { url: 'https://mcp.example.com/mcp', credentials: [{ secret: 'Nobodys' }] };
    expect((await this.console.admin.request('PUT', '/v1/upstreams/files', body)).status).toBe(200);
    return 'files';
  }

  /** Imports a small OpenAPI document; returns the name of the import. */
  async openApiImport(): Promise<string> {
    const paths = { '/pets': { get: { operationId: 'listPets', responses: { 200: { description: 'pets' } } } } };
    const info = { title: 'Pets', version: '1.0.0' };
    const document = { openapi: '3.1.0', info, servers: [{ url: 'https://pets.example.com' }], paths };
    expect((await this.console.admin.request('POST', '/v1/openapi-imports', { name: 'pets', document })).status).toBe(201);
    return 'pets';
  }

  async vote({ approval, call_id }: Envelope, vote: 'approve' | 'deny'): Promise<Envelope> {
    await this.you.request('POST', `/v1/approvals/${approval?.approval_id}/votes`, { vote, reason: 'looked at' });
    return this.agent.callUntil(call_id, ({ status }) => status !== 'pending_approval' && status !== 'running');
  }
}

/** What an attacker writes into every field that an agent fills. */
export const HOSTILE = '<script>window.hostile=1</script><img src=x onerror="window.hostile=1">\u202egnp.exe\u001b[31mred\u001b[0m\u0007';
