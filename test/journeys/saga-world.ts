import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { SagaDefinition } from '@countersign/client';
import { Ledger } from '../tools/ledger/ledger.js';
import { Recipient } from '../tools/mail/recipient.js';
import { MAIL_SETTING } from '../tools/mail/send.js';
import { realDatabase, realPop3, realSmtp } from '../tools/real-parts.js';
import type { Answer, Api } from './api.js';
import { type JourneyPlatform, JourneyWorld } from './journey-world.js';
import type { OrderInputs } from './order-sagas.js';

export interface Saga {
  saga_id: string;
  status: string;
  steps: { step_id: string; status: string; call_id?: string | null; undo_call_id?: string | null }[];
  tickets: { ticket_id?: string; step_id: string | null; reason: string }[];
  waits: { step_id: string; wait: string; subject?: string | null }[];
}

export interface SagaRequest {
  definition: SagaDefinition | { name: string; version: string };
  inputs: object;
  case_id?: string;
  saga_id?: string;
}

export type SagaControl = 'pause' | 'resume' | 'cancel' | 'retry' | 'accept' | 'done-by-hand';

/** Statuses in which a saga has ended. */
export const SAGA_ENDS = ['completed', 'compensated', 'compensation_failed', 'aborted'] as const;

const packAt = (path: string): string => fileURLToPath(new URL(`../tools/${path}/pack.js`, import.meta.url));
const PACKS = ['workspace', 'git', 'patterns', 'probe', 'http', packAt('ledger'), packAt('mail')].join(',');

/** The environment of a saga journey: a platform whose tools act on SQL rows and mail of real servers, and its people. */
export class SagaWorld extends JourneyWorld {
  ledger!: Ledger;
  /** An operator, who undoes calls and controls sagas. */
  olga!: Api;

  /** @param start `EmbeddedPlatform.start`, `DistributedPlatform.start`, or what prepares one of them */
  override async open(start: (env: Record<string, string>) => Promise<JourneyPlatform>): Promise<void> {
    this.ledger = await Ledger.open(realDatabase());
    const env = { ...this.ledger.settings, [MAIL_SETTING]: `smtp://${realSmtp()}`, COUNTERSIGN_PACKS: PACKS };
    await super.open((given) => start({ ...given, ...env }));
    this.olga = await this.admin.keyFor('user', 'olga', ['operator']);
  }

  override async close(): Promise<void> {
    await super.close();
    await this.ledger?.close();
  }

  recipient(): Recipient {
    return new Recipient(realPop3());
  }

  /** Inputs of an order of one article by one account that no other test uses. There are 10 pieces and 1000 EUR. */
  async orderInputs(more: Partial<OrderInputs> = {}): Promise<OrderInputs> {
    const id = randomUUID().slice(0, 8);
    const [sku, account] = [`chair-${id}`, `account-${id}`];
    await this.ledger.addArticle(sku, 10);
    await this.ledger.addAccount(account, 100_000);
    const order = { order_id: `o-${id}`, sku, quantity: 2, account, amount_cents: 30_000 };
    return { ...order, address: 'Main Street 1, Ulm', mail_to: `${id}@example.org`, ...more };
  }

  /** Publishes a definition; it can then be started by `{name, version}`. @throws with all its faults */
  async publish(definition: SagaDefinition): Promise<void> {
    const { name, version } = definition;
    const { status, body } = await this.admin.request('PUT', `/v1/saga-definitions/${name}/versions/${version}`, definition);
    if (status !== 200 && status !== 201) throw new Error(`${name}@${version} was refused: ${status} ${JSON.stringify(body)}`);
  }

  /** @param key the Idempotency-Key; a new one unless it is given @param wait_s how long the answer may take */
  startSaga(request: SagaRequest, { key = randomUUID(), wait_s = 0, by = this.agent } = {}): Promise<Answer<Saga>> {
    return by.request<Saga>('POST', '/v1/sagas', request, { 'idempotency-key': key, prefer: `wait=${wait_s}` });
  }

  readSaga(saga_id: string): Promise<Answer<Saga>> {
    return this.olga.request<Saga>('GET', `/v1/sagas/${saga_id}`);
  }

  /** Polls a saga until the check holds. */
  async sagaUntil(saga_id: string, check: (saga: Saga) => boolean, timeout_ms = 120_000): Promise<Saga> {
    for (const end = performance.now() + timeout_ms; ; await sleep(50)) {
      const { status, body } = await this.readSaga(saga_id);
      if (status === 200 && check(body)) return body;
      if (performance.now() > end)
        throw new Error(`saga ${saga_id} did not get there in ${timeout_ms} ms: ${status} ${JSON.stringify(body)}`);
    }
  }

  /** The saga once it has this status. @throws if it ends in another one */
  async sagaIs(saga_id: string, wanted: string): Promise<Saga> {
    const ended = (saga: Saga) => saga.status === wanted || SAGA_ENDS.some((end) => end === saga.status);
    const saga = await this.sagaUntil(saga_id, ended);
    if (saga.status !== wanted) throw new Error(`saga ${saga_id} is ${saga.status}, not ${wanted}: ${JSON.stringify(saga)}`);
    return saga;
  }

  control(saga_id: string, control: SagaControl, body: { step_id?: string; reason?: string } = {}, by = this.olga): Promise<Answer<Saga>> {
    return by.request<Saga>('POST', `/v1/sagas/${saga_id}/${control}`, body);
  }

  answerWait(
    saga_id: string,
    step_id: string,
    body: { outcome: 'answered' | 'refused'; answer?: unknown; reason?: string },
    by = this.anna,
  ): Promise<Answer<Saga>> {
    return by.request<Saga>('POST', `/v1/sagas/${saga_id}/waits/${step_id}`, body);
  }

  /** `<tool> stands` or `<tool> undone` for each effect of an order, sorted. @throws if a key had two effects or a sum is wrong */
  async effectsOf(order_id: string): Promise<string[]> {
    const faults = await this.ledger.faults();
    if (faults.length > 0) throw new Error(`the ledger is wrong: ${faults.join('; ')}`);
    const effects = await this.ledger.effectsOfOrder(order_id);
    return effects.map(({ tool, undone_by }) => `${tool} ${undone_by === null ? 'stands' : 'undone'}`).sort();
  }
}
