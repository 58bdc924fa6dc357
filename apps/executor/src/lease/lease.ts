import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isInfrastructureFault } from '@countersign/contracts';
import type { Clock, Logger } from '@countersign/process';
import { machineMs } from '@countersign/runtimes';

/** The SQL side of leases, timed by the database's clock. */
export interface LeaseTable {
  /** A new epoch. With `exclusive` (no other process can be alive) all others are fenced. */
  acquire(instance_id: string, lease_ms: number, exclusive: boolean): Promise<number>;
  /** False: the epoch is fenced or deleted, and is never renewed again. */
  heartbeat(epoch: number, lease_ms: number): Promise<boolean>;
  release(epoch: number): Promise<void>;
}

export interface LeaseOptions {
  instance_id: string;
  lease_ms: number;
  heartbeat_ms: number;
  /** True if no other executor can be alive on this database: earlier epochs are known to be dead. */
  exclusive: boolean;
}

/** Turns of the timer within which the store must respond to a process that was blocked. */
const PROOF_TURNS = 2;

/**
 * The right of this instance to run and to end calls: one row with a time limit. The deadline is on the monotonic clock, counted from
 * before the heartbeat was sent, so that it never exceeds the row's. `check` is the last step before a call runs. A process that was
 * blocked may find its lease expired although no other process has taken it. The lease is then `unproven`, not lost: no call runs or ends,
 * the store is queried, and the epoch continues if its row still exists. It is lost if the row is fenced, or if the store does not respond
 * for `PROOF_TURNS` turns of the timer (a blocked process has none). A process that was not blocked has queried in time: without a
 * response it loses the lease at its deadline. If no other process can take the lease (`exclusive`), only the row decides. `lost` is
 * emitted once when the lease is lost: running calls are aborted.
 */
export class Lease extends EventEmitter<{ lost: [] }> {
  private current = 0;
  private deadline = Number.NEGATIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;
  private asking: Promise<void> | undefined;
  private closed = false;
  private lost = true;
  private unanswered_turns = 0;
  /** Monotonic time of the last check: a long gap means that this process was blocked. */
  private looked_ms = Number.NEGATIVE_INFINITY;
  /** True once the expiry was noticed. */
  private expired = false;
  private readonly waiting: (() => void)[] = [];

  private readonly own = new Set<number>();

  constructor(
    private readonly table: LeaseTable,
    private readonly options: LeaseOptions,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    super();
  }

  /** The newest epoch; it may have ended (see `held`). */
  get epoch(): number {
    return this.current;
  }

  get held(): boolean {
    return !this.lost && this.clock.monotonic_ms() < this.deadline;
  }

  /** Until when other processes of this machine may begin calls under this lease, by their common clock. */
  get begin_before_ms(): number {
    return this.lost ? 0 : machineMs() + this.deadline - this.clock.monotonic_ms();
  }

  /** The lease expired, and the store has not confirmed its owner yet. */
  get unproven(): boolean {
    return !this.lost && !this.held;
  }

  /** True if the epoch belonged to a process that is known to be dead: an earlier process, if no two can be alive. */
  ownerDead(epoch: number): boolean {
    return this.options.exclusive && !this.own.has(epoch);
  }

  /** Resolves with the first lease, however long the store is unavailable. */
  async start(): Promise<void> {
    while (!this.closed) {
      try {
        await this.acquire();
        break;
      } catch (cause) {
        if (!isInfrastructureFault(cause)) throw cause;
        this.logger.warn({ event: 'lease_not_acquired', cause: String(cause) }, 'the lease could not be acquired; retrying');
        await sleep(this.options.heartbeat_ms);
      }
    }
    this.timer = setInterval(() => this.turn(), this.options.heartbeat_ms);
    this.timer.unref();
  }

  /** True if it is held at this moment; called often, and before each run. If it expired, the store is queried at once. */
  check(): boolean {
    const gap_ms = this.look();
    if (this.held) return true;
    if (!this.lost) this.expire(gap_ms);
    return false;
  }

  /** As `check`, but waits while the lease is unproven. */
  async proven(): Promise<boolean> {
    while (!this.check()) {
      if (this.lost) return false;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    return true;
  }

  /** As `proven`, and the lease still has this epoch. */
  async provenUnder(epoch: number): Promise<boolean> {
    return (await this.proven()) && this.current === epoch;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    await this.asking;
    const epoch = this.current;
    this.deadline = Number.NEGATIVE_INFINITY;
    this.lost = true;
    this.known();
    await this.table
      .release(epoch)
      .catch((cause) =>
        this.logger.warn({ event: 'lease_not_released', cause: String(cause) }, 'the lease could not be released; it expires on its own'),
      );
  }

  private turn(): void {
    this.check();
    if (this.unproven) this.countTurn();
    this.ask();
  }

  /** @returns the time since the previous check of this process. */
  private look(): number {
    const now_ms = this.clock.monotonic_ms();
    const gap_ms = now_ms - this.looked_ms;
    this.looked_ms = now_ms;
    return gap_ms;
  }

  /** The lease expired: it is lost if this process was able to query before; otherwise it must be proven. */
  private expire(gap_ms: number): void {
    const was_blocked = gap_ms > 2 * this.options.heartbeat_ms;
    if (!this.expired && !was_blocked && !this.options.exclusive) {
      this.lose('unanswered');
      return;
    }
    this.expired = true;
    this.ask();
  }

  private countTurn(): void {
    this.unanswered_turns++;
    if (!this.options.exclusive && this.unanswered_turns > PROOF_TURNS) this.lose('unanswered');
  }

  /** One query at a time. */
  private ask(): void {
    if (this.asking || this.closed) return;
    this.asking = (this.lost ? this.acquire() : this.renew())
      .catch((cause) => this.logger.warn({ event: 'lease_not_renewed', cause: String(cause) }, 'the lease could not be renewed'))
      .finally(() => {
        this.asking = undefined;
      });
  }

  private async renew(): Promise<void> {
    const epoch = this.current;
    while (!this.lost && !this.closed) {
      const sent = this.clock.monotonic_ms();
      const alive = await this.table.heartbeat(epoch, this.options.lease_ms);
      // The lease was given up while the store did not respond: a later response is ignored.
      if (this.lost) return;
      if (!alive) return this.lose('fenced');
      this.deadline = Math.max(this.deadline, sent + this.options.lease_ms);
      // A response that was read too late proves nothing: query again.
      if (this.held) return this.known();
    }
  }

  private lose(reason: 'fenced' | 'unanswered'): void {
    this.lost = true;
    this.deadline = Number.NEGATIVE_INFINITY;
    this.logger.warn({ event: 'lease_lost', epoch: this.current, reason }, 'lease lost: running calls are aborted');
    this.emit('lost');
    this.known();
  }

  /** The owner is known: resumes the waiting calls. */
  private known(): void {
    this.unanswered_turns = 0;
    this.expired = false;
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  private async acquire(): Promise<void> {
    const sent = this.clock.monotonic_ms();
    const { instance_id, lease_ms, exclusive } = this.options;
    const epoch = await this.table.acquire(instance_id, lease_ms, exclusive);
    this.own.add(epoch);
    this.current = epoch;
    this.deadline = sent + lease_ms;
    this.lost = false;
  }
}
