import { type CallState, unpackCall } from '@countersign/domain';
import { hasPassed, type LogPosition, type ProjectionOffset, projectionPosition, readCall, type Store } from '@countersign/store';
import { Readable } from '../personal/readable.js';
import { type AnsweredPositions, parsePositions } from './positions.js';
import { waitForOthers } from './preferences.js';
import { Problem } from './problem.js';
import { type HttpRequest, headerOf } from './reply.js';

const PAUSE_MAX_MS = 50;

/** Nothing was found in views that are behind: not the same as nothing being there. */
export const viewsBehind = (): Problem => new Problem('unavailable', 'the views have not caught up with the log: ask again');

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Reads of the views that see what this gateway answered before: they wait for the projector, up to a second or as long as the request says. */
export class Views {
  private folded: readonly ProjectionOffset[] = [];
  /** A reading of `folded` that is under way, and when the last one began. */
  private reading: Promise<readonly ProjectionOffset[]> | undefined;
  private read_ms = Number.NEGATIVE_INFINITY;

  constructor(
    readonly store: Store,
    readonly answered: AnsweredPositions,
    private readonly monotonic_ms: () => number,
    /** Opens recorded calls for who judges them again. */
    readonly readable: Readable = Readable.plain,
  ) {}

  /**
   * Waits until the views have passed what this gateway answered (of one partition number, or all) and what the request names.
   * @returns false where they have not in that time: what is not found then may still be there.
   */
  current(request: HttpRequest, partition?: number): Promise<boolean> {
    const wanted = [...this.answered.of(partition), ...parsePositions(headerOf(request, 'countersign-position'))];
    return this.passed(wanted, waitForOthers(headerOf(request, 'prefer')));
  }

  /**
   * Waits as `current`, for what is of use with views that are behind too: a list.
   * @returns the header that says so then, for what is missing may still be there
   */
  async told(request: HttpRequest): Promise<Record<string, string>> {
    return (await this.current(request)) ? {} : { 'countersign-views': 'behind' };
  }

  /** Waits up to a second for what this gateway answered of one partition number, as `current`. */
  caughtUp(partition: number): Promise<boolean> {
    return this.passed(this.answered.of(partition), waitForOthers(undefined));
  }

  async call(tenantId: string, callId: string): Promise<CallState | undefined> {
    const row = await readCall(this.store, tenantId, callId);
    return row && unpackCall(row.state);
  }

  private async passed(wanted: readonly LogPosition[], patience_ms: number): Promise<boolean> {
    const until = this.monotonic_ms() + patience_ms;
    for (let wait = 2; !hasPassed(this.folded, wanted); wait = Math.min(PAUSE_MAX_MS, wait * 2)) {
      if (this.monotonic_ms() - this.read_ms >= wait / 2) await this.readFolded();
      if (hasPassed(this.folded, wanted)) break;
      if (this.monotonic_ms() > until) return false;
      await pause(wait);
    }
    return true;
  }

  /** One reading for all who wait in the same time. */
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
