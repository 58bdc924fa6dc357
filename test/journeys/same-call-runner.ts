import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Counterparty } from '../tools/counterparty/counterparty.js';
import type { Answer, Api, CallBody, Envelope } from './api.js';
import type { EmbeddedPlatform } from './embedded-platform.js';
import type { Step } from './same-call-table.js';
import { minutesFromNow } from './time-shift.js';

/** The environment of one row of the table. */
export interface RowWorld {
  platform: EmbeddedPlatform;
  counterparty: Counterparty;
  agent: Api;
  approver: Api;
  /** How far the platform's clock is ahead now, minutes. */
  ahead_min: number;
}

const LATER_MIN = 11;
const DECISION = '0-01a2007f-b3c2-7001-9a67-44e55dc07cca';

/** Runs the steps of one row, with a file and names that no other row uses. */
export class RowRunner {
  readonly answers: Answer<Envelope>[] = [];
  private readonly cases = new Map<string, string>();
  private effects_before = 0;

  constructor(
    private readonly world: RowWorld,
    private readonly row: number,
  ) {}

  async run(steps: readonly Step[]): Promise<void> {
    this.effects_before = (await this.world.counterparty.stats()).effects;
    for (const step of steps) await this.step(step);
  }

  /** The state afterwards, in the words of the table. */
  async afterwards(requested_call: string): Promise<string> {
    if (requested_call.startsWith('effects')) return `effects: ${(await this.world.counterparty.stats()).effects - this.effects_before}`;
    const file = path.join(this.world.platform.workspace, this.file);
    return existsSync(file) ? `file: ${readFileSync(file, 'utf8')}` : 'no file';
  }

  private get file(): string {
    return `row-${this.row}.txt`;
  }

  private async step(step: Step): Promise<void> {
    switch (step.verb) {
      case 'later':
        return this.later();
      case 'approve':
      case 'deny':
        return this.vote(step.verb);
      default: {
        const { body, headers } = await this.bodyOf(step);
        this.answers.push(await this.world.agent.call(body, headers));
      }
    }
  }

  private async later(): Promise<void> {
    this.world.ahead_min += LATER_MIN;
    await this.world.platform.process.stop();
    await this.world.platform.up(minutesFromNow(this.world.ahead_min));
  }

  private async vote(vote: 'approve' | 'deny'): Promise<void> {
    const { call_id, approval } = this.answers.at(-1)?.body as Envelope;
    const voted = await this.world.approver.request('POST', `/v1/approvals/${approval?.approval_id}/votes`, {
      vote,
      reason: 'as the row says',
    });
    if (voted.status >= 300) throw new Error(`the vote was answered ${voted.status}: ${JSON.stringify(voted.body)}`);
    await this.world.agent.callUntil(call_id, ({ status }) => status === (vote === 'approve' ? 'succeeded' : 'denied'));
  }

  private async bodyOf(step: Step): Promise<{ body: CallBody; headers: Record<string, string> }> {
    const { request, run, seq, occurrence, key, ...rest } = step.with;
    const context = {
      ...(request === undefined ? {} : { request_id: this.own(request) }),
      ...(run === undefined ? {} : { run_id: this.own(run) }),
      ...(seq === undefined ? {} : { seq: Number(seq) }),
    };
    const body: CallBody = { ...this.callOf(step), context };
    if (rest.case !== undefined) body.case_id = await this.caseOf(rest.case);
    if (occurrence !== undefined) body.occurrence = occurrence;
    return { body, headers: key === undefined ? {} : { 'idempotency-key': this.own(key) } };
  }

  private callOf({ verb, text }: Step): Pick<CallBody, 'tool' | 'inputs'> {
    const order = { account: this.own(text), amount: 7, note: 'a row of the table' };
    switch (verb) {
      case 'create':
      case 'overwrite':
      case 'append':
        return { tool: 'write_file', inputs: { path: this.file, content: text, mode: verb } };
      case 'delete':
        return { tool: 'delete_file', inputs: { path: this.file } };
      case 'move':
        return { tool: 'move_file', inputs: { source: this.file, destination: `moved-${this.file}` } };
      case 'read':
        return { tool: 'read_file', inputs: { path: this.file } };
      case 'task':
        return {
          tool: 'request_approval',
          inputs: { subject: { kind: 'decision', id: `${DECISION}.${this.row}` }, queue: 'legal', rationale: text },
        };
      case 'send': {
        const url = `${this.world.counterparty.url}/effect`;
        return { tool: 'http_send', inputs: { method: 'POST', url, body: { ...order, key: this.own(text) } } };
      }
      case 'lost':
        return { tool: 'probe_http_blind', inputs: { ...order, lose_answer: true } };
      default:
        throw new Error(`the table has no call ${verb}`);
    }
  }

  private own(name: string): string {
    return `row-${this.row}-${name}`;
  }

  private async caseOf(name: string): Promise<string> {
    const known = this.cases.get(name);
    if (known !== undefined) return known;
    const { status, body } = await this.world.platform.admin().request<{ case_id: string }>('POST', '/v1/cases', { title: this.own(name) });
    if (status >= 300) throw new Error(`POST /v1/cases answered ${status}`);
    this.cases.set(name, body.case_id);
    return body.case_id;
  }
}
