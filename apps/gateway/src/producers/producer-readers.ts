import { producerTopics } from '@countersign/contracts';
import type { AppDeps } from '@countersign/process';
import type { AnswersTransport } from './answers.consumer.js';
import { type IntakeParts, ProducerIntake } from './producer-intake.js';
import type { ProducerNames } from './producer-names.js';
import { ProducerReader } from './producer-reader.js';
import type { ProducerStanding } from './producer-standing.js';
import type { ProducerTopicsMaker } from './producer-topics-maker.js';
import type { PublishedSchemas } from './published-schemas.js';

const TURN_MS = 500;
/** After a failed turn. */
const RETRY_TURNS = 20;
const FORGET_TURNS = 600;

/** Starts a reader for each producer of the configuration, and the answers with the first of them. A producer keeps its reader when it is revoked. */
export class ProducerReaders {
  private readonly readers = new Map<string, ProducerReader>();
  private timer: NodeJS.Timeout | undefined;
  private turns = 0;
  private next_start = 0;
  private working: Promise<void> = Promise.resolve();

  constructor(
    private readonly deps: Pick<AppDeps, 'log' | 'logger'>,
    private readonly standing: ProducerStanding,
    private readonly topics: ProducerTopicsMaker,
    private readonly parts: { intake: IntakeParts; answers: AnswersTransport; names: ProducerNames; schemas: PublishedSchemas },
  ) {}

  start(): void {
    if (!this.topics.is_possible) return;
    this.timer = setInterval(() => this.turn(), TURN_MS);
    this.timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.working;
    await Promise.all([...this.readers.values()].map((reader) => reader.close()));
    await this.parts.answers.close();
  }

  private turn(): void {
    const turn = ++this.turns;
    if (turn < this.next_start) return;
    this.working = this.working
      .then(() => this.startMissing())
      .then(() => (turn % FORGET_TURNS === 0 ? this.parts.names.forgetOld() : undefined))
      .catch((cause) => {
        this.next_start = this.turns + RETRY_TURNS;
        this.deps.logger.warn(
          { event: 'producer_reader_not_started', err: cause },
          'could not read a producer, or publish its schemas; retry in 10 s',
        );
      });
  }

  private async startMissing(): Promise<void> {
    const missing = [...this.standing.producer_ids].filter((producer_id) => !this.readers.has(producer_id));
    if (missing.length > 0) await this.parts.answers.start();
    for (const producer_id of missing) await this.startReader(producer_id);
    if (this.readers.size > 0) await this.parts.schemas.publish();
  }

  private async startReader(producer_id: string): Promise<void> {
    const missing = await this.topics.ensure(producer_id);
    if (missing) throw new Error(missing.detail);
    const reader = new ProducerReader(this.deps.log, producer_id, new ProducerIntake(producer_id, this.standing, this.parts.intake));
    await reader.start();
    this.readers.set(producer_id, reader);
    const { requests: topic } = producerTopics(producer_id);
    this.deps.logger.info({ event: 'producer_reader_started', topic }, 'reads the requests of a producer');
  }
}
