import { setTimeout as sleep } from 'node:timers/promises';
import { attemptKey } from '@countersign/contracts';
import type { Api, Envelope } from '../journeys/api.js';
import type { Counterparty } from '../tools/counterparty/counterparty.js';

/** The outcome of one order that an agent repeated until its end. */
interface Order {
  inputs: Record<string, unknown>;
  tool: string;
  answers: Envelope[];
  /** Number of refusals by kind. */
  refusals: Record<string, number>;
}

export interface Verdict {
  orders: number;
  succeeded: number;
  failed: number;
  in_doubt: number;
  effects: number;
  /** The orders that failed, by their reported outcome: `status code message`. */
  failures: Record<string, number>;
  faults: string[];
}

const ENDED = new Set(['succeeded', 'failed', 'in_doubt', 'denied', 'expired', 'cancelled']);
/** This long after the last fault nothing may be pending. */
const BACKLOG_MS = 60_000;

const iso = (time_ms: number): string => new Date(time_ms).toISOString();

const hasEnded = ({ answers }: Order): boolean => ENDED.has(answers.at(-1)?.status ?? '');

function refused(order: Order, how: string): void {
  order.refusals[how] = (order.refusals[how] ?? 0) + 1;
}

/**
 * Orders that agents send until they end: after a lost connection the same inputs are sent again. Effects are counted at the
 * counterparty, never in the platform's own tables.
 */
export class Orders {
  private readonly all: Order[] = [];
  private case_id = '';
  private readonly salt = Math.floor(performance.timeOrigin + performance.now()).toString(36);

  constructor(
    private readonly api: () => Api,
    private readonly counterparty: Counterparty,
  ) {}

  /** All orders belong to one case that stays open, so that a key is kept however late an agent repeats it (without a case: 10 minutes). */
  async begin(): Promise<void> {
    const { status, body } = await this.api().request<{ case_id: string }>('POST', '/v1/cases', {});
    if (status !== 201) throw new Error(`no case: ${status} ${JSON.stringify(body)}`);
    this.case_id = body.case_id;
  }

  get sent(): number {
    return this.all.length;
  }

  next(tool = 'probe_http_effect', more: Record<string, unknown> = {}): Order {
    const order: Order = {
      tool,
      inputs: { account: `acct-${this.salt}-${this.all.length}`, amount: 1 + (this.all.length % 900), note: 'chaos', ...more },
      answers: [],
      refusals: {},
    };
    this.all.push(order);
    return order;
  }

  /** Sends one order until a response reports its end, or the time is over. */
  async insist(order: Order, timeout_ms = 120_000): Promise<void> {
    const end = performance.now() + timeout_ms;
    for (let wait_ms = 100; performance.now() < end; wait_ms = Math.min(800, wait_ms * 2)) {
      const envelope = await this.once(order);
      if (envelope && ENDED.has(envelope.status)) return;
      if (envelope) wait_ms = 50;
      await sleep(wait_ms);
    }
  }

  private async once(order: Order): Promise<Envelope | undefined> {
    try {
      const { status, body } = await this.api().call(
        { tool: order.tool, inputs: order.inputs, case_id: this.case_id },
        { prefer: 'wait=20' },
      );
      if (status === 200 || status === 202) {
        order.answers.push(body);
        return body;
      }
      refused(order, `${status} ${(body as { detail?: string }).detail ?? ''}`);
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } };
      refused(order, cause?.code ?? String(error));
    }
    return undefined;
  }

  /** After the last fault: orders that their agent gave up are sent once more (I11), then every order is checked against the counterparty. */
  async verify(): Promise<Verdict> {
    await Promise.all(this.all.filter((order) => !hasEnded(order)).map((order) => this.insist(order, BACKLOG_MS)));
    const verdict: Verdict = { orders: this.all.length, succeeded: 0, failed: 0, in_doubt: 0, effects: 0, failures: {}, faults: [] };
    const stats = await this.counterparty.stats();
    verdict.effects = stats.effects;
    for (const { key, count } of stats.duplicates) verdict.faults.push(`I1: key ${key} had ${count} effects: ${await this.lived(key)}`);
    for (const order of this.all) await this.check(order, verdict);
    return verdict;
  }

  /** Describes a key with too many effects: when each was requested and happened, and the responses that its agent got. */
  private async lived(key: string): Promise<string> {
    const effects = (await this.counterparty.effectsOf(key)).map((one) => `asked ${iso(one.asked_at_ms)} done ${iso(one.at_ms)}`);
    const answered = this.all.find(({ answers }) => answers.some(({ idempotency_key }) => idempotency_key === key));
    const answered_statuses = answered?.answers.map(({ call_id, status }) => `${call_id} ${status}`) ?? [];
    return [...effects, ...answered_statuses, JSON.stringify(answered?.refusals ?? {})].join('; ');
  }

  private async check(order: Order, verdict: Verdict): Promise<void> {
    const last = order.answers.at(-1);
    const name = `${order.tool} ${String(order.inputs.account)}`;
    if (!last || !hasEnded(order)) {
      verdict.faults.push(`I2: ${name} never ended: ${last?.status ?? `no answer but ${JSON.stringify(order.refusals)}`}`);
      return;
    }
    const effects = await this.effectsOf(last);
    if (last.status === 'succeeded') {
      verdict.succeeded++;
      if (effects.length !== 1) verdict.faults.push(`I1: ${name} succeeded with ${effects.length} effects`);
    } else if (last.status === 'in_doubt') verdict.in_doubt++;
    else {
      verdict.failed++;
      const why = [last.status, last.error?.code, last.error?.message].join(' ');
      verdict.failures[why] = (verdict.failures[why] ?? 0) + 1;
      const answered_statuses = order.answers.some(({ status }) => status === 'succeeded' || status === 'in_doubt');
      if (effects.length > 0 && !answered_statuses) verdict.faults.push(`I5: ${name} is ${last.status} with ${effects.length} effects`);
    }
    const results = new Set(order.answers.filter((answer) => answer.status === 'succeeded').map((answer) => JSON.stringify(answer.output)));
    if (results.size > 1) verdict.faults.push(`I3: ${name} was answered with ${results.size} results`);
    for (const id of new Set(order.answers.map((answer) => answer.call_id))) await this.checkRecorded(id, name, verdict);
  }

  /** The effects of all attempts: each has its own key at the counterparty. */
  private async effectsOf({ idempotency_key, attempts = 1 }: Envelope): Promise<unknown[]> {
    const found: unknown[] = [];
    for (let attempt = 1; attempt <= attempts; attempt++)
      found.push(...(await this.counterparty.effectsOf(attemptKey(idempotency_key, attempt))));
    return found;
  }

  private async checkRecorded(call_id: string, name: string, verdict: Verdict): Promise<void> {
    const end = performance.now() + 60_000;
    for (;;) {
      const { status, body } = await this.api()
        .readCall(call_id)
        .catch(() => ({ status: 0, body: undefined }));
      if (status === 200 && body && ENDED.has(body.status)) return;
      if (performance.now() > end) {
        verdict.faults.push(`I2: ${name}: call ${call_id} is not on the record with an end (${status} ${body?.status ?? ''})`);
        return;
      }
      await sleep(100);
    }
  }
}
