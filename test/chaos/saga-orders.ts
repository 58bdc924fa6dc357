import { setTimeout as sleep } from 'node:timers/promises';
import { attemptKey } from '@countersign/contracts';
import type { Api, Envelope } from '../journeys/api.js';
import type { Counterparty } from '../tools/counterparty/counterparty.js';

interface Ticket {
  closed_at: string | null;
}

interface Saga {
  saga_id: string;
  status: string;
  steps: { step_id: string; status: string | null }[];
  tickets: Ticket[];
}

/** What became of the sagas. `open`: they wait for a person, with a ticket. */
export interface SagaVerdict {
  sagas: number;
  completed: number;
  open: number;
  faults: string[];
}

const ENDED = new Set(['completed', 'compensated', 'compensation_failed', 'aborted']);
/** Time after the last fault within which every saga must end, or wait for a person. */
const BACKLOG_MS = 120_000;

const isSettled = ({ status, tickets }: Saga): boolean => ENDED.has(status) || tickets.some(({ closed_at }) => closed_at === null);

/** Reads, then has one effect at the counterparty. */
const definition = {
  name: 'chaos',
  version: '1.0.0',
  steps: [
    { id: 'look', tool: 'probe_read', inputs: {} },
    { id: 'pay', tool: 'probe_http_effect', inputs: { account: { from: '/inputs/account' }, amount: 7, note: 'chaos' } },
  ],
  input_schema: { type: 'object', properties: { account: { type: 'string' } }, required: ['account'] },
};

/** Sagas that an agent starts under its own id, again and again until they are on the record: one effect each, counted at the counterparty. */
export class SagaOrders {
  private readonly ids: string[] = [];
  private readonly salt = Math.floor(performance.timeOrigin + performance.now()).toString(36);

  constructor(
    private readonly api: () => Api,
    private readonly counterparty: Counterparty,
  ) {}

  /** Starts one, and resolves once it has ended or waits for a person, or the time is over. */
  async next(): Promise<void> {
    const saga_id = `chaos-${this.salt}-${this.ids.length}`;
    this.ids.push(saga_id);
    await this.insist(saga_id);
  }

  private async insist(saga_id: string): Promise<Saga | undefined> {
    const until = performance.now() + BACKLOG_MS;
    const request = { saga_id, definition, inputs: { account: saga_id } };
    while (!(await this.send('POST', '/v1/sagas', request)) && performance.now() < until) await sleep(200);
    return this.settled(saga_id, until);
  }

  /** After the last fault: each saga, which its agent starts once more, is settled on the record and had no effect twice. */
  async verify(): Promise<SagaVerdict> {
    const verdict: SagaVerdict = { sagas: this.ids.length, completed: 0, open: 0, faults: [] };
    for (const saga_id of this.ids) {
      const saga = await this.insist(saga_id);
      if (!saga)
        verdict.faults.push(`I2: saga ${saga_id} is not settled: ${JSON.stringify(await this.send('GET', `/v1/sagas/${saga_id}`))}`);
      else await this.check(saga, verdict);
    }
    return verdict;
  }

  private async check(saga: Saga, verdict: SagaVerdict): Promise<void> {
    const effects = await this.effectsOf(saga.saga_id);
    if (effects > 1) verdict.faults.push(`I1: saga ${saga.saga_id} had ${effects} effects`);
    if (saga.status === 'completed') verdict.completed++;
    else if (!ENDED.has(saga.status)) verdict.open++;
    const is_paid = saga.steps.some(({ step_id, status }) => step_id === 'pay' && status === 'succeeded');
    if (saga.status === 'completed' && !(is_paid && effects === 1))
      verdict.faults.push(`I1: saga ${saga.saga_id} is completed with ${effects} effects and the steps ${JSON.stringify(saga.steps)}`);
    if (saga.status === 'aborted' && effects > 0) verdict.faults.push(`I5: saga ${saga.saga_id} is aborted with ${effects} effects`);
  }

  /** The effects of all attempts of all its calls. */
  private async effectsOf(saga_id: string): Promise<number> {
    const calls = (await this.send('GET', `/v1/calls?saga_id=${saga_id}&fields=call_id,idempotency_key,attempts`)) as
      | { items: Envelope[] }
      | undefined;
    if (!calls) throw new Error(`the calls of saga ${saga_id} cannot be read`);
    let found = 0;
    for (const { idempotency_key, attempts = 1 } of calls.items)
      for (let attempt = 1; attempt <= attempts; attempt++)
        found += (await this.counterparty.effectsOf(attemptKey(idempotency_key, attempt))).length;
    return found;
  }

  private async settled(saga_id: string, until: number): Promise<Saga | undefined> {
    while (performance.now() < until) {
      const saga = (await this.send('GET', `/v1/sagas/${saga_id}`)) as Saga | undefined;
      if (saga && isSettled(saga)) return saga;
      await sleep(200);
    }
    return undefined;
  }

  /** Undefined: no answer, or none with a body of success; then it is sent again. */
  private async send(method: string, place: string, body?: object): Promise<unknown> {
    const answer = await this.api()
      .request(method, place, body)
      .catch(() => undefined);
    return answer && answer.status < 300 ? answer.body : undefined;
  }
}
