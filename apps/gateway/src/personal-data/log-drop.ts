import { Refusal } from '@countersign/calls';
import { carriedTopics, type Principal, parseTopic } from '@countersign/contracts';
import { monthsBefore, RETENTION_FLOOR_MONTHS } from '@countersign/domain';
import type { Dropped } from '@countersign/event-log';
import {
  type DamageReport,
  droppedBelow,
  headsAt,
  keepLeavesOf,
  missingRecords,
  type NewestCheckpoint,
  shortened,
  signedDrops,
  treeName,
} from '@countersign/evidence';
import { type AppDeps, anchorOf, type Evidence } from '@countersign/process';
import { endOf, spansOf } from '@countersign/proofs';
import { oldestOpenCall } from '@countersign/store';
import type { ConfigurationService } from '../configuration/configuration.service.js';
import { CheckpointWait } from './checkpoint-wait.js';

/** The records of one partition that may be deleted: from `first` up to `below`; none if they are equal. */
interface OldRecords {
  topic: string;
  partition: number;
  first: number;
  below: number;
}

export interface DropPlan {
  before_ms: number;
  checkpoint: NewestCheckpoint;
  /** By tree: all partitions that may become shorter. */
  old: ReadonlyMap<string, OldRecords>;
  /** The trees among them with records to delete. */
  due: ReadonlyMap<string, OldRecords>;
  /** By tree: the offset below which a `log_dropped` under the checkpoint allows the drop. */
  recorded: ReadonlyMap<string, number>;
}

/** Outcome of a drop. `waits_for`: the drop is recorded; the next request deletes the records once a checkpoint covers it. */
export interface DropOutcome {
  dropped: Dropped;
  waits_for: 'checkpoint' | 'cosignature' | null;
}

const NOTHING: Dropped = { segments: 0, bytes: 0 };

/** Deletes old records of calls behind a checkpoint that covers them. */
export class LogDrop {
  constructor(
    private readonly deps: Pick<AppDeps, 'log' | 'codec' | 'schemas' | 'store' | 'key_snapshot'>,
    private readonly evidence: Evidence,
    readonly configuration: ConfigurationService,
    private readonly damage: DamageReport,
  ) {}

  /** The longest minimum retention of any tenant, in months. */
  get floor_months(): number {
    const all = [...this.configuration.state.by_tenant.values()].flatMap(({ retention }) => retention?.terms ?? []);
    const months = all.flatMap(({ floor_months, rules }) => [floor_months, ...rules.map((rule) => rule.months)]);
    return Math.max(RETENTION_FLOOR_MONTHS, ...months);
  }

  async plan(keep_months: number): Promise<DropPlan | Refusal> {
    if (keep_months < this.floor_months)
      return new Refusal('invalid-request', `records must be kept for at least ${this.floor_months} months`, {
        issues: [{ path: '/keep_months', code: 'floor', message: `is below ${this.floor_months}` }],
      });
    const checkpoint = await anchorOf(this.evidence);
    if (!checkpoint)
      return new Refusal('unavailable', 'no checkpoint exists yet: nothing can be dropped', { reason: 'checkpoint_pending' });
    // Uses the heads that the note signs, not those of the store.
    const signed = await headsAt(
      this.evidence.checkpoints,
      this.evidence.tiles,
      this.evidence.signer.verifier,
      checkpoint.record.number + 1,
    );
    if (typeof signed === 'string') return new Refusal('conflict', `nothing was dropped: ${signed}`, { reason: 'log_drop_refused' });
    const missing = await this.missing(checkpoint);
    if (missing) return missing;
    const kept_from_ms = monthsBefore(this.configuration.clock.now_ms(), keep_months);
    const before_ms = Math.min(kept_from_ms, (await oldestOpenCall(this.deps.store)) ?? Number.POSITIVE_INFINITY);
    const old = await this.oldRecords(checkpoint, before_ms);
    const due = new Map([...old].filter(([, { first, below }]) => below > first));
    return { before_ms, checkpoint, old, due, recorded: await this.recordedUnder(checkpoint) };
  }

  /** Refuses the drop if records are missing that no drop deleted. */
  private async missing(checkpoint: NewestCheckpoint): Promise<Refusal | undefined> {
    const short = await shortened(this.deps.log, checkpoint.heads.values());
    const found = await missingRecords(this.sources, checkpoint, short, 'drop');
    for (const damage of found) this.damage.found(damage);
    return found[0] && new Refusal('conflict', found[0].reason, { reason: 'log_drop_refused' });
  }

  private get sources() {
    const { log, codec, schemas } = this.deps;
    return { log, codec, schemas, checkpoints: this.evidence.checkpoints, verifier: this.evidence.signer.verifier };
  }

  private async oldRecords(checkpoint: NewestCheckpoint, before_ms: number): Promise<Map<string, OldRecords>> {
    const old = new Map<string, OldRecords>();
    for (const { head, isFrozen } of spansOf(checkpoint.heads.values())) {
      const { topic, partition } = head;
      if (isFrozen || carriedTopics.has(parseTopic(topic).topic)) continue;
      const below = Math.min(endOf(head), await this.deps.log.since(topic, partition, before_ms));
      old.set(treeName(topic, partition), { topic, partition, first: await this.deps.log.first(topic, partition), below });
    }
    return old;
  }

  private async recordedUnder(checkpoint: NewestCheckpoint): Promise<Map<string, number>> {
    return droppedBelow(await signedDrops(this.sources, checkpoint));
  }

  /**
   * Runs these steps in order, each safe to repeat: stores leaf hashes, records the drop, waits for a checkpoint that covers the record
   * (and for its cosignatures, if there are witnesses), then deletes the records. Refuses if the tiles differ from the signature.
   */
  async drop(tenant_id: string, plan: DropPlan, by: Principal): Promise<DropOutcome | Refusal> {
    const { due, recorded } = plan;
    if (due.size === 0) return { dropped: NOTHING, waits_for: null };
    const wrong = await this.keepLeaves(plan);
    if (wrong) return wrong;
    if ([...due].every(([tree, { below }]) => below <= (recorded.get(tree) ?? 0))) return this.remove(plan.old, recorded);
    const offset = await this.record(tenant_id, plan, by);
    const signed = new CheckpointWait(this.evidence, offset);
    const anchor = await signed.wait();
    const outcome = await this.remove(plan.old, anchor ? await this.recordedUnder(anchor) : recorded);
    return anchor ? outcome : { ...outcome, waits_for: signed.waits_for };
  }

  private async keepLeaves({ checkpoint, due }: DropPlan): Promise<Refusal | undefined> {
    const { tiles, dropped } = this.evidence;
    for (const [tree, going] of due) {
      if (!dropped) return new Refusal('conflict', `no checkpoint covers the tree ${tree}`, { reason: 'log_drop_refused' });
      const wrong = await keepLeavesOf(checkpoint.heads.values(), going, tiles, dropped);
      if (wrong !== undefined) return new Refusal('conflict', `nothing was dropped: ${wrong}`, { reason: 'log_drop_refused' });
    }
    return undefined;
  }

  /** @returns its offset on configuration-changed. */
  private async record(tenant_id: string, { before_ms, checkpoint, due }: DropPlan, by: Principal): Promise<number> {
    const below = [...due.values()].map((part) => ({ topic: part.topic, partition: part.partition, offset: part.below }));
    const dropped_at_ms = this.configuration.clock.now_ms();
    const { note } = checkpoint.record;
    const at = await this.configuration.writer.set(tenant_id, 'log_dropped', { before_ms, checkpoint: note, by, dropped_at_ms, below });
    return at.offset;
  }

  /** Stores idempotency keys outside the log before it deletes the records. */
  private async remove(old: DropPlan['old'], recorded: ReadonlyMap<string, number>): Promise<DropOutcome> {
    const below = (tree: string) => {
      const known = old.get(tree);
      return known ? Math.max(known.first, Math.min(known.below, recorded.get(tree) ?? 0)) : 0;
    };
    if (![...old].some(([tree, { first }]) => below(tree) > first)) return { dropped: NOTHING, waits_for: null };
    await this.deps.key_snapshot?.save();
    const dropped = await this.deps.log.drop({
      below: (topic, partition) => below(treeName(topic, partition)),
      carries: (topic) => carriedTopics.has(parseTopic(topic).topic),
    });
    return { dropped, waits_for: null };
  }
}
