import type { DamageReport } from '@countersign/evidence';
import { CONFIGURATION_TOPIC } from '@countersign/process';
import type { TreeSpan } from '@countersign/proofs';
import { keepScrub, type ScrubRun, type Store } from '@countersign/store';
import type { LogPass } from '../audit/log-pass.js';
import type { AllCalls, CheckStep } from '../state-check/all-calls.js';
import type { AllCases } from '../state-check/all-cases.js';
import type { AllExecutions } from '../state-check/all-executions.js';
import { lanesByPartition, partitionsOf } from '../state-check/lane-partitions.js';
import { rowDamage } from '../state-check/wrong-row.js';
import type { ReportedDamage } from './reported-damage.js';

const KEEP_EVERY_MS = 500;

/** The comparisons of a run. */
export interface RunChecks {
  log: LogPass;
  calls: AllCalls;
  executions: AllExecutions;
  cases: AllCases;
  damage: ReportedDamage;
}

/** This process is no longer responsible for the trees, or stops: another process starts the run again. */
export class ScrubLeft extends Error {}

/** Runs one requested scrub and stores its progress. */
export class RunningScrub {
  private kept_at_ms = Number.NEGATIVE_INFINITY;

  constructor(
    private run: ScrubRun,
    private readonly store: Store,
    private readonly checks: RunChecks,
    private readonly terms: { goesOn(): boolean; now_ms(): number },
  ) {}

  /** Resolves when everything is compared. @throws ScrubLeft */
  async finish(): Promise<void> {
    const spans = await this.checks.log.signed();
    const requests = partitionsOf('tool-call-requested', spans);
    const executed = partitionsOf('tool-executed', spans);
    const settings = spans
      .filter(({ head, isFrozen }) => head.topic === CONFIGURATION_TOPIC && !isFrozen)
      .map(({ end }) => ({ size: end }));
    const rows_total = this.run.views ? [...requests, ...executed, ...settings].reduce((sum, { size }) => sum + size, 0) : 0;
    const records_total = spans.reduce((sum, { first, end }) => sum + end - first, 0) + rows_total;
    await this.keep({ ...this.run, started_at_ms: this.terms.now_ms(), records: 0, rows: 0, damages: 0, found: [], records_total });
    for (const span of spans) await this.ofTree(span);
    if (this.run.views) {
      for (const place of lanesByPartition(requests)) await this.ofRows(this.checks.calls.steps(place));
      for (const { lane, partition } of executed) await this.ofRows(this.checks.executions.steps({ lane, partition }));
      await this.ofRows(this.checks.cases.steps());
    }
    await this.keep({ ...this.run, records: this.run.records_total, ended_at_ms: this.terms.now_ms() });
  }

  private async ofTree(span: TreeSpan): Promise<void> {
    let left = span.end - span.first;
    for await (const records of this.checks.log.tree(span)) {
      left -= records;
      await this.went(records, 0);
    }
    // Records deleted by retention count as done.
    await this.went(left, 0);
  }

  private async ofRows(steps: AsyncGenerator<CheckStep>): Promise<void> {
    const damage: DamageReport = this.checks.damage;
    for await (const { records, compared, wrong } of steps) {
      for (const row of wrong) damage.found(rowDamage(row, 'scrub'));
      await this.went(records, compared);
    }
  }

  private async went(records: number, rows: number): Promise<void> {
    if (!this.terms.goesOn()) throw new ScrubLeft('another process is the signer, or this process is stopping');
    const { damages, listed } = this.checks.damage;
    this.run = { ...this.run, records: this.run.records + records, rows: this.run.rows + rows, damages, found: listed };
    if (this.terms.now_ms() - this.kept_at_ms >= KEEP_EVERY_MS) await this.keep(this.run);
  }

  private async keep(run: ScrubRun): Promise<void> {
    const { damages, listed } = this.checks.damage;
    this.run = { ...run, damages, found: listed };
    this.kept_at_ms = this.terms.now_ms();
    await keepScrub(this.store, this.run);
  }
}
