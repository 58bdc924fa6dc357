import { type Principal, parseTopic } from '@countersign/contracts';
import { monthsBefore, RETENTION_FLOOR_MONTHS } from '@countersign/domain';
import type { Dropped } from '@countersign/event-log';
import { type NewestCheckpoint, treeName } from '@countersign/evidence';
import type { AppDeps, Evidence } from '@countersign/process';
import { oldestOpenCall } from '@countersign/store';
import type { ConfigurationRoom } from '../http/configuration-room.js';
import { Problem } from '../http/problem.js';

/** What every process folds from its beginning is never dropped: it is carried on beside what is left. */
const CARRIED: ReadonlySet<string> = new Set(['configuration-changed', 'tool-registered', 'trust-view', 'operator-command']);

export interface DropPlan {
  before_ms: number;
  checkpoint: NewestCheckpoint;
  /** `topic/partition` → records below are older, and covered. */
  below: ReadonlyMap<string, number>;
  /** Those of them in which something is there that may go. */
  due: ReadonlyMap<string, number>;
}

/** Drops old records of calls behind a checkpoint that covers them. */
export class LogDrop {
  constructor(
    private readonly deps: Pick<AppDeps, 'log' | 'store' | 'key_snapshot'>,
    private readonly evidence: Evidence,
    readonly configuration: ConfigurationRoom,
  ) {}

  /** Months that no tenant's record may be shorter than. */
  get floor_months(): number {
    const all = [...this.configuration.state.by_tenant.values()].flatMap(({ retention }) => retention?.terms ?? []);
    const months = all.flatMap(({ floor_months, rules }) => [floor_months, ...rules.map((rule) => rule.months)]);
    return Math.max(RETENTION_FLOOR_MONTHS, ...months);
  }

  async plan(keep_months: number): Promise<DropPlan | Problem> {
    if (keep_months < this.floor_months)
      return new Problem('invalid-request', `the record is kept for at least ${this.floor_months} months`, {
        issues: [{ path: '/keep_months', code: 'floor', message: `is below ${this.floor_months}` }],
      });
    const checkpoint = await this.anchor();
    if (!checkpoint) return new Problem('unavailable', 'there is no checkpoint to drop behind');
    const kept_from_ms = monthsBefore(this.configuration.clock.now_ms(), keep_months);
    const before_ms = Math.min(kept_from_ms, (await oldestOpenCall(this.deps.store)) ?? Number.POSITIVE_INFINITY);
    const below = new Map<string, number>();
    const due = new Map<string, number>();
    for (const { topic, partition, size } of checkpoint.heads.values()) {
      if (CARRIED.has(parseTopic(topic).topic)) continue;
      const offset = Math.min(size, await this.deps.log.since(topic, partition, before_ms));
      below.set(treeName(topic, partition), offset);
      if (offset > (await this.deps.log.first(topic, partition))) due.set(treeName(topic, partition), offset);
    }
    return { before_ms, checkpoint, below, due };
  }

  /** The record says so first. Keys of effects are kept beside it before anything goes. */
  async drop(tenant_id: string, { before_ms, checkpoint, below, due }: DropPlan, by: Principal): Promise<Dropped> {
    if (due.size === 0) return { segments: 0, bytes: 0 };
    const dropped_at_ms = this.configuration.clock.now_ms();
    await this.configuration.writer.set(tenant_id, 'log_dropped', { before_ms, checkpoint: checkpoint.record.note, by, dropped_at_ms });
    await this.deps.key_snapshot?.save();
    return this.deps.log.drop({
      below: (topic, partition) => below.get(treeName(topic, partition)) ?? 0,
      carries: (topic) => CARRIED.has(parseTopic(topic).topic),
    });
  }

  /** The newest checkpoint; where witnesses are asked, the newest that all of them cosigned. */
  private async anchor(): Promise<NewestCheckpoint | undefined> {
    const { checkpoints, cosigned } = this.evidence;
    const newest = await cosigned.newest();
    if (newest) return checkpoints.at(newest.number);
    return cosigned.asks ? undefined : checkpoints.newest();
  }
}
