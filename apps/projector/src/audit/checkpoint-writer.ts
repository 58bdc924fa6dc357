import type { EventLog } from '@countersign/event-log';
import { BrokenRecord } from '@countersign/evidence';
import type { Evidence, KnownDamage, Logger } from '@countersign/process';
import { SoleMember } from '../sole-member.js';
import type { CoveredLanes } from './covered-lanes.js';
import { CoveredLog } from './covered-log.js';
import type { StartCheck } from './start-check.js';

const EVENTS_A_CHECKPOINT = 1000;
const EVERY_MS = 1000;
const AGAIN_MS = 1000;

export interface CheckpointWriterParts {
  log: EventLog;
  evidence: Evidence;
  /** Every topic that is covered, as far as is known. */
  lanes: Pick<CoveredLanes, 'topics' | 'learn'>;
  /** Runs before anything is signed; absent only where a test does without. */
  start?: Pick<StartCheck, 'run' | 'compareOlder'>;
  now_ms(): number;
  logger: Pick<Logger, 'warn'>;
  /** While it is known to be damaged nothing is signed. */
  damage: Pick<KnownDamage, 'found' | 'holdsSigning'>;
}

/**
 * Writes a checkpoint a second, or after 1,000 events, while there is something new. One process of all that run does it;
 * should two believe that it is theirs, each number is still written by one.
 */
export class CheckpointWriter {
  private readonly member: SoleMember;
  private covered: CoveredLog | undefined;
  private unsigned = 0;
  private timer: NodeJS.Timeout | undefined;
  private signing: Promise<void> | undefined;
  private opening: Promise<void> = Promise.resolve();
  private isClosed = false;
  private isHeld = false;
  private later: NodeJS.Timeout | undefined;

  constructor(private readonly parts: CheckpointWriterParts) {
    this.member = new SoleMember(parts.log, 'projector.audit', {
      gained: () => this.next(() => this.open()),
      lost: async () => {
        this.next(() => this.letGo());
        await this.opening;
      },
      heard: async (records) => {
        if (await parts.lanes.learn(records)) this.next(() => this.reopen());
      },
    });
  }

  /** Whether it is this process that signs, or would where nothing is damaged. */
  get isOwner(): boolean {
    return this.member.isOwner;
  }

  start(): Promise<void> {
    return this.member.start();
  }

  private next(work: () => Promise<void>): void {
    this.opening = this.opening.then(work);
  }

  private get isActive(): boolean {
    return this.member.isOwner && !this.isClosed;
  }

  private async open(): Promise<void> {
    if (!this.isActive || this.covered || this.mustWait()) return;
    const { log, evidence, lanes, start } = this.parts;
    try {
      const topics = await lanes.topics();
      await start?.run();
      const covered = await CoveredLog.open(log, evidence);
      this.covered = covered;
      await covered.follow(topics, (count) => this.grown(covered, count));
      start?.compareOlder(() => covered !== this.covered).catch((cause) => this.fault(cause));
    } catch (cause) {
      this.fault(cause);
    }
  }

  /** Whether a damage that nobody accepted keeps it from signing; then it looks again soon. */
  private mustWait(): boolean {
    const { damage, logger } = this.parts;
    if (damage.holdsSigning && !this.isHeld)
      logger.warn({ event: 'signing_held' }, 'the record is not what was signed: nothing is signed before it is accepted');
    this.isHeld = damage.holdsSigning;
    if (this.isHeld) this.openLater();
    return this.isHeld;
  }

  private openLater(): void {
    this.later ??= setTimeout(() => {
      this.later = undefined;
      this.next(() => this.open());
    }, AGAIN_MS).unref();
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
    if (this.mustWait()) return this.drop();
    try {
      const signed = await this.covered?.sign(this.parts.now_ms());
      if (signed === 'kept' || signed === 'nothing_new') this.unsigned -= counted;
      if (signed === 'taken') throw new Error('another process signs');
    } catch (cause) {
      this.fault(cause);
    }
  }

  private fault(cause: unknown): void {
    this.drop();
    if (cause instanceof BrokenRecord) {
      const { message: reason, place } = cause;
      this.parts.damage.found({ kind: place ? 'log' : 'checkpoints', found_by: 'signer', ...place, reason });
    } else this.parts.logger.warn({ cause: String(cause) }, 'checkpoints pause and are tried again');
    this.openLater();
  }

  /** What is not signed is read again by the next that opens. */
  private drop(): void {
    const covered = this.covered;
    this.covered = undefined;
    this.unsigned = 0;
    void covered?.close();
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
    await this.member.close();
    await this.letGo();
  }
}
