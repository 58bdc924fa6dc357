import type { EventLog, RunningSubscription } from '@countersign/event-log';
import { BrokenRecord } from '@countersign/evidence';
import type { Evidence, Logger } from '@countersign/process';
import type { CoveredLanes } from './covered-lanes.js';
import { CoveredLog } from './covered-log.js';

const EVENTS_A_CHECKPOINT = 1000;
const EVERY_MS = 1000;
const AGAIN_MS = 1000;

export interface CheckpointWriterParts {
  log: EventLog;
  evidence: Evidence;
  /** Every topic that is covered, as far as is known. */
  lanes: Pick<CoveredLanes, 'topics' | 'learn'>;
  now_ms(): number;
  logger: Pick<Logger, 'warn' | 'error'>;
  /** The log is not what was signed: told once. */
  broken(reason: string): Promise<void>;
}

/**
 * Writes a checkpoint a second, or after 1,000 events, while there is something new. One process of all that run does it:
 * the one that its group gives the only partition of `configuration-changed`; should two believe that it is theirs, each
 * number is still written by one.
 */
export class CheckpointWriter {
  private membership: RunningSubscription | undefined;
  private covered: CoveredLog | undefined;
  private unsigned = 0;
  private timer: NodeJS.Timeout | undefined;
  private signing: Promise<void> | undefined;
  private opening: Promise<void> = Promise.resolve();
  private isOwner = false;
  private isClosed = false;
  private isBroken = false;

  constructor(private readonly parts: CheckpointWriterParts) {}

  async start(): Promise<void> {
    this.membership = await this.parts.log.subscribe({
      group: 'projector.audit',
      topics: ['configuration-changed'],
      visibility: 'durable',
      batch_records_max: 500,
      onAssigned: async () => {
        this.isOwner = true;
        this.opening = this.opening.then(() => this.open());
        return [];
      },
      onRevoked: async () => {
        this.isOwner = false;
        this.opening = this.opening.then(() => this.letGo());
        await this.opening;
      },
      onBatch: async ({ records }) => {
        if (await this.parts.lanes.learn(records)) this.opening = this.opening.then(() => this.reopen());
      },
    });
  }

  private get isActive(): boolean {
    return this.isOwner && !this.isClosed && !this.isBroken;
  }

  private async open(): Promise<void> {
    if (!this.isActive || this.covered) return;
    const { log, evidence, lanes } = this.parts;
    try {
      const topics = await lanes.topics();
      const covered = await CoveredLog.open(log, evidence);
      this.covered = covered;
      await covered.follow(topics, (count) => this.grown(covered, count));
    } catch (cause) {
      await this.fault(cause);
    }
  }

  /** A lane more is to be covered. */
  private async reopen(): Promise<void> {
    await this.letGo();
    this.unsigned = 0;
    await this.open();
  }

  private async grown(covered: CoveredLog, count: number): Promise<void> {
    if (covered !== this.covered) return;
    this.unsigned += count;
    if (this.unsigned >= EVENTS_A_CHECKPOINT) await this.sign();
    else if (count > 0) this.timer ??= setTimeout(() => void this.sign(), EVERY_MS).unref();
  }

  /** One signing at a time; a second caller waits for the running one. */
  private sign(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.signing ??= this.signOnce().finally(() => {
      this.signing = undefined;
      if (this.unsigned > 0 && this.covered) this.timer ??= setTimeout(() => void this.sign(), EVERY_MS).unref();
    });
    return this.signing;
  }

  private async signOnce(): Promise<void> {
    const counted = this.unsigned;
    try {
      const signed = await this.covered?.sign(this.parts.now_ms());
      if (signed === 'kept' || signed === 'nothing_new') this.unsigned -= counted;
      if (signed === 'taken') throw new Error('another process signs');
    } catch (cause) {
      await this.fault(cause);
    }
  }

  private async fault(cause: unknown): Promise<void> {
    const { logger, broken } = this.parts;
    const covered = this.covered;
    this.covered = undefined;
    this.unsigned = 0;
    void covered?.close();
    if (cause instanceof BrokenRecord) {
      this.isBroken = true;
      logger.error({ cause: cause.message }, 'the log is not what its checkpoints signed: nothing more is signed');
      await broken(cause.message);
      return;
    }
    logger.warn({ cause: String(cause) }, 'checkpoints pause and are tried again');
    setTimeout(() => {
      this.opening = this.opening.then(() => this.open());
    }, AGAIN_MS).unref();
  }

  private async letGo(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.signing;
    const covered = this.covered;
    this.covered = undefined;
    await covered?.close();
  }

  /** Signs what is new and ends. */
  async close(): Promise<void> {
    await this.opening;
    if (this.unsigned > 0) await this.sign();
    this.isClosed = true;
    await this.membership?.close();
    await this.letGo();
  }
}
