import type { EventLog, LogRecord, RunningSubscription } from '@countersign/event-log';

/** What the one process does; each is awaited before the next. */
export interface SoleWork {
  /** From now on it is this process. Must not throw. */
  gained(): Promise<void> | void;
  /** It is not any more: resolves when nothing of the work runs here. */
  lost(): Promise<void>;
  /** Records of `configuration-changed`, from the beginning on or from where the member before left off. */
  heard?(records: readonly LogRecord[]): Promise<void>;
}

/**
 * Work that one process of all that run does: the one that a group gives the only partition of `configuration-changed`.
 * For a moment two may believe that it is theirs; the work itself must bear that.
 */
export class SoleMember {
  private membership: RunningSubscription | undefined;
  private holds = false;

  constructor(
    private readonly log: EventLog,
    private readonly group: string,
    private readonly work: SoleWork,
  ) {}

  /** Whether it is this process now. */
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
