import type { LogTransport } from '@countersign/event-log';
import type { Logger } from '@countersign/process';
import type { DueWork } from './partitions/due-work.js';
import type { SnapshotSaver } from './partitions/snapshot-saver.js';

const TURN_MS = 250;

/** The single timer of the policy service: processes due work and saves snapshots; turns never overlap. */
export class PolicyClock {
  private timer: NodeJS.Timeout | undefined;
  private turning: Promise<void> = Promise.resolve();
  private sinceSavedMs = 0;
  private stopped = false;

  constructor(
    private readonly work: { due: DueWork; snapshots: SnapshotSaver },
    private readonly transport: Pick<LogTransport, 'subscription'>,
    private readonly snapshot_every_ms: number,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.timer = setTimeout(() => this.tick(), TURN_MS);
  }

  /** Resolves when no turn is in progress. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await Promise.race([this.turning, new Promise((done) => setTimeout(done, TURN_MS).unref())]);
  }

  private tick(): void {
    this.turning = this.turn()
      .catch((cause: unknown) =>
        this.logger.warn({ event: 'policy_turn_failed', cause: String(cause) }, 'cannot expire approvals; the next turn retries'),
      )
      .then(() => {
        if (!this.stopped) this.start();
      });
  }

  private async turn(): Promise<void> {
    await this.work.due.turn(async (lane) => this.transport.subscription(lane)?.caughtUp());
    this.sinceSavedMs += TURN_MS;
    if (this.sinceSavedMs < this.snapshot_every_ms || this.stopped) return;
    this.sinceSavedMs = 0;
    await this.work.snapshots.save();
  }
}
