import { expect } from 'vitest';
import type { Api, Envelope } from '../journeys/api.js';
import type { Theme, ViewportName } from './browser.js';
import { ConsoleWorld } from './console-world.js';
import type { ObservedPage } from './observed-page.js';

const object = (properties: object, required: readonly string[]) => ({ type: 'object', additionalProperties: false, properties, required });

/** A tool whose sentence names amount and recipient. Its endpoint does not answer: these specs decide, they do not pay. */
const PAY_SUPPLIER = {
  name: 'pay_supplier',
  version: '1.2.0',
  title: 'Pay a supplier',
  description: 'Pays a supplier once from the operating account and gives the receipt.',
  category: 'billing',
  summary: 'Pay {/amount} {/currency} to {/supplier}',
  endpoint: 'http://127.0.0.1:9/',
  effect_class: 'commit_low',
  reversibility: 'semantic',
  functions: ['reconcile', 'compensate'],
  takes_key: true,
  undo_within_ms: 86_400_000,
  input_schema: object(
    {
      supplier: { type: 'string', minLength: 1, maxLength: 200, description: 'Name in the supplier register' },
      amount: { type: 'number', minimum: 0.01, maximum: 1_000_000 },
      currency: { type: 'string', enum: ['EUR', 'USD', 'CHF'] },
      reference: { type: 'string', maxLength: 2_000_000 },
      details: { type: 'object', additionalProperties: { type: 'number' } },
    },
    ['supplier', 'amount', 'currency'],
  ),
  output_schema: object({ receipt_id: { type: 'string' } }, ['receipt_id']),
  idempotency: { except: [] },
};

interface PageLook {
  viewport?: ViewportName;
  theme?: Theme;
  expected?: RegExp;
  /** How long a final vote is held; absent: as for a new person. */
  hold_s?: number;
}

let serial = 0;

/** Requests for approval that an agent makes, and the people who decide them. */
export class ApprovalsWorld {
  private constructor(
    readonly console: ConsoleWorld,
    readonly agent: Api,
  ) {}

  static async start(): Promise<ApprovalsWorld> {
    const console = await ConsoleWorld.start({ COUNTERSIGN_TOOL_ENDPOINTS_PRIVATE: '127.0.0.1:9' });
    const { admin } = console;
    const author = await admin.keyFor('user', 'tess', ['tool_author']);
    const world = new ApprovalsWorld(console, await admin.keyFor('agent', 'invoice-agent', ['agent']));
    expect((await author.request('POST', '/v1/tools', PAY_SUPPLIER)).status).toBe(201);
    await world.require('pay_supplier', { quorum: 2, reason_required_on_deny: true, grant_max_ms: 3_600_000 });
    await world.require('write_file', { quorum: 1 });
    return world;
  }

  /** Who has to approve the calls of a tool. */
  async require(tool: string, requirement: object): Promise<void> {
    const body = { tier: 'tier_2_approval_required', requirement: { approver_roles: ['approver'], ...requirement } };
    expect((await this.console.admin.request('PUT', `/v1/policies/tools/${tool}`, body)).status).toBeLessThan(300);
  }

  /** A payment that waits for two people. @returns the id of its request */
  async pay(inputs: object = {}, context?: Record<string, unknown>): Promise<string> {
    serial += 1;
    return this.asked('pay_supplier', { supplier: `Supplier ${serial}`, amount: serial, currency: 'EUR', ...inputs }, context);
  }

  /** A new file, which waits for one person and cannot be undone. @returns the id of its request */
  async write(): Promise<string> {
    serial += 1;
    return this.asked('write_file', { path: `file-${serial}.txt`, content: 'x', mode: 'overwrite' });
  }

  person(id: string, roles: string[] = ['approver']): Promise<Api> {
    return this.console.admin.keyFor('user', id, roles);
  }

  /** A page of a person that shows a path. */
  async page(by: Api, path: string, { hold_s, ...look }: PageLook = {}): Promise<ObservedPage> {
    const observed = await this.console.page({ key: by.key, ...look });
    if (hold_s !== undefined)
      await observed.page.addInitScript((text) => localStorage.setItem('countersign:vote-hold-s', text), String(hold_s));
    await observed.page.goto(path);
    return observed;
  }

  async read(approval_id: string): Promise<{ status: string; decided_by: string | null; votes: { voter_id: string; vote: string }[] }> {
    return (await this.console.admin.request<never>('GET', `/v1/approvals/${approval_id}`)).body;
  }

  close(): Promise<void> {
    return this.console.close();
  }

  private async asked(tool: string, inputs: Record<string, unknown>, context?: Record<string, unknown>): Promise<string> {
    const { body } = await this.agent.call({ tool, inputs, ...(context ? { context } : {}) });
    return (body as Envelope).approval?.approval_id ?? expect.fail(JSON.stringify(body));
  }
}

/** The path of a request in the console. */
export const pathOf = (approval_id: string): string => `/approvals/${encodeURIComponent(approval_id)}`;
