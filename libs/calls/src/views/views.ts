import { type CallState, unpackCall } from '@countersign/domain';
import { hasPassed, type LogPosition, type ProjectionOffset, projectionPosition, readCall, type Store } from '@countersign/store';
import { Readable } from '../personal/readable.js';
import { Refusal } from '../refusal.js';
import type { AnsweredPositions } from './answered-positions.js';
import { NOTHING_SEEN, type Seen } from './seen.js';

const PAUSE_MAX_MS = 50;

/** The refusal for a result that is missing in views that lag behind: it may exist. */
export const viewsBehind = (): Refusal =>
  new Refusal('unavailable', 'the views have not caught up with the log: try again', { reason: 'views_behind' });

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Reads the views at least as new as the earlier answers of this process: waits for the projector, up to the reader's limit. */
export class Views {
  private folded: readonly ProjectionOffset[] = [];
  /** The read of the position that is in progress. `read_ms`: when the last one began. */
  private reading: Promise<readonly ProjectionOffset[]> | undefined;
  private read_ms = Number.NEGATIVE_INFINITY;

  constructor(
    readonly store: Store,
    readonly answered: AnsweredPositions,
    private readonly monotonic_ms: () => number,
    /** Decrypts recorded calls for services that judge them again. */
    readonly readable: Readable = Readable.plain,
  ) {}

  /**
   * Waits until the views have passed the positions that this process answered (of one partition number, or all) and those that the reader
   * has seen.
   * @returns false if they have not in time: a missing result may then exist.
   */
  current({ positions, wait_ms }: Seen, partition?: number): Promise<boolean> {
    return this.passed([...this.answered.of(partition), ...positions], wait_ms);
  }

  /** Waits up to a second, as `current` does, for the answered positions of one partition number. */
  caughtUp(partition: number): Promise<boolean> {
    return this.passed(this.answered.of(partition), NOTHING_SEEN.wait_ms);
  }

  async call(tenantId: string, callId: string): Promise<CallState | undefined> {
    const row = await readCall(this.store, tenantId, callId);
    return row && unpackCall(row.state);
  }

  private async passed(wanted: readonly LogPosition[], max_delay_ms: number): Promise<boolean> {
    const until = this.monotonic_ms() + max_delay_ms;
    for (let wait = 2; !hasPassed(this.folded, wanted); wait = Math.min(PAUSE_MAX_MS, wait * 2)) {
      if (this.monotonic_ms() - this.read_ms >= wait / 2) await this.readFolded();
      if (hasPassed(this.folded, wanted)) break;
      if (this.monotonic_ms() > until) return false;
      await pause(wait);
    }
    return true;
  }

  /** All concurrent waiters share one read. */
  private async readFolded(): Promise<void> {
    this.reading ??= this.beginReading();
    this.folded = await this.reading;
  }

  private beginReading(): Promise<readonly ProjectionOffset[]> {
    this.read_ms = this.monotonic_ms();
    return projectionPosition(this.store).finally(() => {
      this.reading = undefined;
    });
  }
}
