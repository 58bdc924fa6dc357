import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { components, SagaDefinition } from '@countersign/client';
import { Ledger } from '../tools/ledger/ledger.js';
import { Recipient } from '../tools/mail/recipient.js';
import { MAIL_SETTING } from '../tools/mail/send.js';
import { realDatabase, realPop3, realSmtp } from '../tools/real-parts.js';
import type { Answer, Api } from './api.js';
import { type JourneyPlatform, JourneyWorld } from './journey-world.js';
import type { OrderInputs } from './order-sagas.js';

/** A saga with its steps, waits and tickets, as `GET /v1/sagas/{saga_id}` answers it. */
export type Saga = components['schemas']['SagaWithSteps'];
/** What starting or controlling a saga answers: the saga without its steps. */
export type SagaSummary = components['schemas']['Saga'];

export interface SagaRequest {
  definition: SagaDefinition | { name: string; version: string };
  inputs: object;
  case_id?: string;
  saga_id?: string;
}

export type SagaControl = 'pause' | 'resume' | 'cancel' | 'retry' | 'accept' | 'done-by-hand';

/** Statuses in which a saga has ended. */
export const SAGA_ENDS: readonly Saga['status'][] = ['completed', 'compensated', 'compensation_failed', 'aborted'];

const packAt = (path: string): string => fileURLToPath(new URL(`../tools/${path}/pack.js`, import.meta.url));
const PACKS = ['workspace', 'git', 'patterns', 'probe', 'http', packAt('ledger'), packAt('mail')].join(',');

/** The environment of a saga journey: a platform whose tools act on SQL rows and mail of real servers, and its people. */
export class SagaJourneyWorld extends JourneyWorld {
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

  /** @param key the Idempotency-Key; without one each request is another saga @param wait_s how long the answer may take */
  startSaga(
    request: SagaRequest,
    { key, wait_s = 0, by = this.agent }: { key?: string; wait_s?: number; by?: Api } = {},
  ): Promise<Answer<SagaSummary>> {
    return by.request<SagaSummary>('POST', '/v1/sagas', request, {
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      prefer: `wait=${wait_s}`,
    });
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
  async sagaIs(saga_id: string, wanted: Saga['status']): Promise<Saga> {
    const ended = (saga: Saga) => saga.status === wanted || SAGA_ENDS.includes(saga.status);
    const saga = await this.sagaUntil(saga_id, ended);
    if (saga.status !== wanted) throw new Error(`saga ${saga_id} is ${saga.status}, not ${wanted}: ${JSON.stringify(saga)}`);
    return saga;
  }

  control(
    saga_id: string,
    control: SagaControl,
    body: { step_id?: string; reason?: string } = {},
    by = this.olga,
  ): Promise<Answer<SagaSummary>> {
    return by.request<SagaSummary>('POST', `/v1/sagas/${saga_id}/${control}`, body);
  }

  answerWait(
    saga_id: string,
    step_id: string,
    body: { outcome: 'answered' | 'refused'; answer?: unknown; reason?: string },
    by = this.anna,
  ): Promise<Answer<SagaSummary>> {
    return by.request<SagaSummary>('POST', `/v1/sagas/${saga_id}/waits/${step_id}`, body);
  }

  /** `<tool> stands` or `<tool> undone` for each effect of an order, sorted. @throws if a key had two effects or a sum is wrong */
  async effectsOf(order_id: string): Promise<string[]> {
    const faults = await this.ledger.faults();
    if (faults.length > 0) throw new Error(`the ledger is wrong: ${faults.join('; ')}`);
    const effects = await this.ledger.effectsOfOrder(order_id);
    return effects.map(({ tool, undone_by }) => `${tool} ${undone_by === null ? 'stands' : 'undone'}`).sort();
  }
}
