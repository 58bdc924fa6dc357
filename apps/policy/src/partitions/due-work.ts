import type { OwnedPartitions } from '@countersign/event-log';
import type { DecisionService } from '../rulings/decision-service.js';
import type { Deferrals } from './deferrals.js';
import type { DueApproval, PartitionServices } from './partition-services.js';
import type { RulingPartition } from './ruling-partition.js';

/** Number of turns that check waiting calls after a change that may stop a version from running. */
const TURNS_AFTER_CHANGE = 8;
/** The wheel is compacted when its entries exceed twice the open requests by this number. */
const WHEEL_SLACK = 10_000;

/** Reads all votes that are on the log of a lane now. */
type ReadVotes = (lane: string) => Promise<void>;

/** Due work in the partitions of this process, one turn at a time: expiries, reminders, withdrawals and waits that are over. */
export class DueWork {
  private revocationEpoch: number | undefined;
  private turnsLeft = 0;

  constructor(
    private readonly owned: OwnedPartitions<RulingPartition>,
    private readonly decisions: DecisionService,
    private readonly deferrals: Deferrals,
    private readonly services: Pick<PartitionServices, 'clock' | 'wheel' | 'logger'>,
  ) {}

  /** @throws InfrastructureFault: work that is due stays due for the next turn. */
  async turn(readVotes: ReadVotes): Promise<void> {
    this.withdraw();
    this.expireDue(readVotes);
    await this.deferrals.turn([...this.owned.all()]);
  }

  /**
   * Denies waiting calls whose version may no longer run. Repeats this for some turns after a change, because a batch that was decided
   * before the change may be published after it.
   */
  private withdraw(): void {
    if (this.decisions.revocationEpoch !== this.revocationEpoch) {
      this.revocationEpoch = this.decisions.revocationEpoch;
      this.turnsLeft = TURNS_AFTER_CHANGE;
    }
    if (this.turnsLeft === 0) return;
    this.turnsLeft--;
    for (const partition of this.owned.all()) partition.withdraw();
  }

  /** Handles due approvals: forgets expired grants, and ends overdue requests once every vote before their deadline was read. */
  private expireDue(readVotes: ReadVotes): void {
    this.decisions.limits.tend(readVotes);
    const now_ms = this.services.clock.now_ms();
    const due = this.services.wheel.turn(now_ms);
    this.tidyWheel();
    for (const { lane, partition, approval_id } of due) {
      this.owned.at(lane, partition)?.forgetGrant(approval_id);
      this.owned.at(lane, partition)?.remind(approval_id);
    }
    const overdue = due.filter(({ lane, partition, approval_id }) => this.owned.at(lane, partition)?.isOverdue(approval_id, now_ms));
    for (const lane of new Set(overdue.map((one) => one.lane))) {
      const ofLane = overdue.filter((one) => one.lane === lane);
      void readVotes(lane).then(
        () => this.expire(ofLane),
        (cause: unknown) => this.later(ofLane, cause),
      );
    }
  }

  private tidyWheel(): void {
    const { wheel } = this.services;
    if (wheel.size <= WHEEL_SLACK + 2 * openApprovals(this.owned)) return;
    wheel.retain(({ lane, partition, approval_id }) => this.owned.at(lane, partition)?.state.approvals.has(approval_id) === true);
  }

  private expire(overdue: readonly DueApproval[]): void {
    for (const { lane, partition, approval_id } of overdue) this.owned.at(lane, partition)?.expire(approval_id);
  }

  private later(overdue: readonly DueApproval[], cause: unknown): void {
    this.services.logger.warn(
      { event: 'approval_expiry_postponed', cause: String(cause) },
      'cannot expire approvals yet, because not every vote is read; will retry',
    );
    for (const one of overdue) this.services.wheel.add(this.services.clock.now_ms(), one);
  }
}

/** Number of open approval requests, and of grants that calls may still join. */
export function openApprovals(owned: OwnedPartitions<RulingPartition>): number {
  let count = 0;
  for (const { state } of owned.all()) count += state.approvals.size;
  return count;
}
