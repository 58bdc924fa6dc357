import { setTimeout as sleep } from 'node:timers/promises';
import { isInfrastructureFault } from '@countersign/contracts';
import type { Clock, Logger } from '@countersign/process';

/** The SQL side of leases, timed by the database's clock. */
export interface LeaseTable {
  /** A new epoch; every other one is fenced where `exclusive` (no other process can be alive). */
  acquire(instance_id: string, lease_ms: number, exclusive: boolean): Promise<number>;
  /** False: the epoch is fenced or gone; it is never renewed again. */
  heartbeat(epoch: number, lease_ms: number): Promise<boolean>;
  release(epoch: number): Promise<void>;
}

export interface LeaseOptions {
  instance_id: string;
  lease_ms: number;
  heartbeat_ms: number;
  /** No other executor can be alive on this database: earlier epochs are known dead. */
  exclusive: boolean;
}

/**
 * The right of this instance to fire and to end: one row with a time limit. The deadline is kept on the monotonic clock,
 * counted from before the heartbeat was sent, so that it never outlives the row. `held` is asked as the last step before firing.
 */
export class Lease {
  private current = 0;
  private deadline = Number.NEGATIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;
  private busy: Promise<void> = Promise.resolve();
  private closed = false;
  private lostTold = true;
  private ticking = false;

  /** Called once when the lease is gone: destroy what runs. */
  onLost: () => void = () => undefined;
  /** Called before each new epoch is asked for. */
  beforeAcquire: () => Promise<void> = async () => undefined;
  private readonly own = new Set<number>();

  constructor(
    private readonly table: LeaseTable,
    private readonly options: LeaseOptions,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** The newest epoch; it may be over (`held`). */
  get epoch(): number {
    return this.current;
  }

  get held(): boolean {
    return this.clock.monotonic_ms() < this.deadline;
  }

  /** The epoch belonged to a process that is known to be dead: one before this one, where no two can be alive. */
  ownerDead(epoch: number): boolean {
    return this.options.exclusive && !this.own.has(epoch);
  }

  /** Resolves with the first lease, however long the store is away. */
  async start(): Promise<void> {
    while (!this.closed) {
      try {
        await this.acquire();
        break;
      } catch (cause) {
        if (!isInfrastructureFault(cause)) throw cause;
        this.logger.warn({ cause: String(cause) }, 'no lease yet; asked again');
        await sleep(this.options.heartbeat_ms);
      }
    }
    this.timer = setInterval(() => this.tick(), this.options.heartbeat_ms);
    this.timer.unref();
  }

  /** Tells at once where the lease ran out; called often, and before anything fires. */
  check(): boolean {
    if (this.held) return true;
    if (!this.lostTold) {
      this.lostTold = true;
      this.deadline = Number.NEGATIVE_INFINITY;
      this.logger.warn({ epoch: this.current }, 'lease lost: what runs is destroyed');
      this.onLost();
    }
    return false;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    await this.busy.catch(() => undefined);
    const epoch = this.current;
    this.deadline = Number.NEGATIVE_INFINITY;
    this.lostTold = true;
    await this.table.release(epoch).catch((cause) => this.logger.warn({ cause: String(cause) }, 'the lease was not released; it runs out'));
  }

  private tick(): void {
    this.check();
    if (this.ticking || this.closed) return;
    this.ticking = true;
    this.busy = (this.held ? this.renew() : this.acquire())
      .catch((cause) => this.logger.warn({ cause: String(cause) }, 'the lease could not be renewed'))
      .finally(() => {
        this.ticking = false;
      });
  }

  private async renew(): Promise<void> {
    const sent = this.clock.monotonic_ms();
    const epoch = this.current;
    const alive = await this.table.heartbeat(epoch, this.options.lease_ms);
    if (!this.check()) return;
    this.deadline = alive ? sent + this.options.lease_ms : Number.NEGATIVE_INFINITY;
    this.check();
  }

  private async acquire(): Promise<void> {
    await this.beforeAcquire();
    const sent = this.clock.monotonic_ms();
    const { instance_id, lease_ms, exclusive } = this.options;
    const epoch = await this.table.acquire(instance_id, lease_ms, exclusive);
    this.own.add(epoch);
    this.current = epoch;
    this.deadline = sent + lease_ms;
    this.lostTold = false;
  }
}
