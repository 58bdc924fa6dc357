import type { KnownDamage } from '@countersign/process';
import type { CoveredLog } from './covered-log.js';

const EVENTS_A_CHECKPOINT = 5000;
const EVERY_MS = 1000;
const REST_MS = 1000;

/** Why a run ended: it was closed, the log is damaged, or an error occurred. */
export type RunEnd = { kind: 'closed' } | { kind: 'held' } | { kind: 'failed'; cause: unknown };

/** One run of signing: follows the log, and writes a checkpoint every second, or after 5,000 events, while there are new records. */
export class SigningRun {
  /** Resolves once signing has stopped. */
  readonly ended: Promise<RunEnd>;
  private end!: (why: RunEnd) => void;
  private isOver = false;
  private unsigned = 0;
  private timer: NodeJS.Timeout | undefined;
  private signing: Promise<void> | undefined;

  constructor(
    private readonly covered: CoveredLog,
    private readonly damage: Pick<KnownDamage, 'holdsSigning'>,
    private readonly now_ms: () => number,
  ) {
    this.ended = new Promise((resolve) => {
      this.end = (why) => {
        this.isOver = true;
        resolve(why);
      };
    });
  }

  get isEnded(): boolean {
    return this.isOver;
  }

  start(topics: readonly string[]): Promise<void> {
    return this.covered.follow(topics, (count) => this.grown(count));
  }

  /** The next run reads unsigned records again. */
  fail(cause: unknown): void {
    this.end({ kind: 'failed', cause });
  }

  private async grown(count: number): Promise<void> {
    if (this.isOver) return;
    this.unsigned += count;
    if (this.unsigned >= EVENTS_A_CHECKPOINT) await this.sign();
    else if (count > 0) this.signLater();
  }

  private signLater(): void {
    this.timer ??= setTimeout(() => void this.sign(), EVERY_MS).unref();
  }

  /** One signing at a time; a second caller waits for the running one. */
  private sign(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.signing ??= this.signOnce().finally(() => {
      this.signing = undefined;
      if (this.unsigned > 0 && !this.isOver) this.signLater();
    });
    return this.signing;
  }

  private async signOnce(): Promise<void> {
    if (this.isOver) return;
    if (this.damage.holdsSigning) return this.end({ kind: 'held' });
    const counted = this.unsigned;
    try {
      const signed = await this.covered.sign(this.now_ms());
      if (signed === 'kept' || signed === 'nothing_new') this.unsigned -= counted;
      if (signed === 'taken') throw new Error('another process is the signer');
    } catch (cause) {
      this.fail(cause);
    }
  }

  /** Signs unsigned records. What cannot be read in time is left to the next start. */
  async signRest(): Promise<void> {
    if (this.unsigned > 0 && !this.isOver) await this.sign();
    if (this.unsigned === 0 || this.isOver) return;
    const timeout = new Promise((resolve) => setTimeout(resolve, REST_MS).unref());
    await Promise.race([this.covered.caughtUp(), timeout]);
    await this.sign();
  }

  async close(): Promise<void> {
    this.end({ kind: 'closed' });
    clearTimeout(this.timer);
    await this.signing;
    await this.covered.close();
  }
}
