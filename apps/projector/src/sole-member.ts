import type { EventLog, LogRecord, RunningSubscription } from '@countersign/event-log';

/** The work of the sole member; each callback is awaited before the next. */
export interface SoleWork {
  /** This process becomes the owner. Must not throw. */
  gained(): Promise<void> | void;
  /** This process is no longer the owner: resolves when none of the work runs here. */
  lost(): Promise<void>;
  /** Records of `configuration-changed`, from the beginning or from where the previous owner stopped. */
  heard?(records: readonly LogRecord[]): Promise<void>;
}

/**
 * Work of exactly one process: the one that a consumer group assigns the only partition of `configuration-changed`. For a moment two
 * processes may both be owner; the work itself must tolerate that.
 */
export class SoleMember {
  private membership: RunningSubscription | undefined;
  private holds = false;

  constructor(
    private readonly log: EventLog,
    private readonly group: string,
    private readonly work: SoleWork,
  ) {}

  /** Whether this process is the owner now. */
  get isOwner(): boolean {
    return this.holds;
  }

  async start(): Promise<void> {
    this.membership = await this.log.subscribe({
      group: this.group,
      topics: ['configuration-changed'],
      visibility: 'durable',
      batch_records_max: 500,
      onAssigned: async () => {
        this.holds = true;
        await this.work.gained();
        return [];
      },
      onRevoked: async () => {
        this.holds = false;
        await this.work.lost();
      },
      onBatch: async ({ records }) => this.work.heard?.(records),
    });
  }

  async close(): Promise<void> {
    await this.membership?.close();
  }
}
