import type { Api } from '../journeys/api.js';
import type { PageOptions } from './console-world.js';
import { ConsoleWorld } from './console-world.js';
import type { ObservedPage } from './observed-page.js';

export const HOSTILE = '<img src=x onerror="window.countersign_harmed=true">\u202egpj.exe\u001b[31m';

/** Rules as an author writes them. */
export const NOTES = {
  id: 'notes-need-a-person',
  description: 'Notes are read by customers: a person looks before one is written.',
  tools: 'write_file',
  when: 'inputs.path.startsWith("notes/")',
  effect: 'require_approval',
  approval: { approver_roles: ['approver'], quorum: 1 },
};
export const LISTING = { id: 'no-listing', description: 'Folders are not listed.', tools: 'list_directory', effect: 'deny' };
export const MOVES = { id: 'moves-are-tagged', tools: ['move_file', 'read_file'], effect: 'allow', obligations: [{ tag: 'files' }] };

/** An installation with people who write policies, and an agent that has made calls. */
export class PoliciesWorld {
  private constructor(
    readonly console: ConsoleWorld,
    readonly anna: Api,
    readonly ben: Api,
    readonly agent: Api,
  ) {}

  static async start(): Promise<PoliciesWorld> {
    const console = await ConsoleWorld.start();
    const admin = (id: string) => console.admin.keyFor('user', id, ['policy_admin']);
    const agent = await console.admin.keyFor('agent', 'filing-agent', ['agent']);
    const world = new PoliciesWorld(console, await admin('anna'), await admin('ben'), agent);
    for (let count = 0; count < 6; count++) await world.list();
    return world;
  }

  async list(): Promise<string> {
    const { status, body } = await this.agent.call({ tool: 'list_directory', inputs: { path: '.' } }, { prefer: 'wait=30' });
    if (status >= 300) throw new Error(`POST /v1/calls answered ${status}: ${JSON.stringify(body)}`);
    return body.call_id;
  }

  /** Publishes rules; returns their version. */
  async publish(rules: readonly object[], more: object = {}, by: Api = this.anna): Promise<string> {
    const { status, body } = await by.request<{ version: string }>('POST', '/v1/policies', { rules, ...more });
    if (status !== 201) throw new Error(`POST /v1/policies answered ${status}: ${JSON.stringify(body)}`);
    return body.version;
  }

  async activate(version: string | null, by: Api = this.anna): Promise<void> {
    const { status } = await by.request('PUT', '/v1/policies/active', { version, shadow: null });
    if (status !== 200) throw new Error(`PUT /v1/policies/active answered ${status}`);
  }

  async active(): Promise<string | null> {
    return (await this.anna.request<{ version: string | null }>('GET', '/v1/policies/active')).body.version;
  }

  async open(address: string, { key = this.anna.key, ...more }: PageOptions = {}): Promise<ObservedPage> {
    const observed = await this.console.page({ key, ...more });
    await observed.page.goto(address);
    return observed;
  }

  close(): Promise<void> {
    return this.console.close();
  }
}
