import type { Outcome } from '@countersign/contracts';
import { beganBefore, CIRCUIT_DEFAULTS, type CircuitDecision, circuitOutcomeOf, decideCircuit } from '@countersign/domain';
import { type AppDeps, type CircuitView, circuitOf, circuitRowOf } from '@countersign/process';
import { type CircuitChange, type CircuitKey, type CircuitRow, changeCircuits, circuitsFor } from '@countersign/store';
import type { Job } from '../calls/job.js';
import type { CircuitMetrics } from './circuit-metrics.js';
import { type CountedOutcomes, OutcomeCounts } from './outcome-counts.js';

const REPORT_MS = 1_000;
/** Another executor may change the same row in between. */
const TRIES = 3;

const nameOf = ({ tenant_id, tool, version }: CircuitKey): string => JSON.stringify([tenant_id, tool, version]);

/** A report, and what it does to its circuit. */
interface Decided {
  report: CountedOutcomes;
  decision: CircuitDecision;
  change: CircuitChange;
}

function decidedOn(report: CountedOutcomes, row: CircuitRow | undefined, now_ms: number): Decided {
  const decision = decideCircuit(row && circuitOf(row), report.slots, now_ms, CIRCUIT_DEFAULTS);
  const after = decision.circuit ? circuitRowOf(decision.circuit) : null;
  return { report, decision, change: { ...report.key, revision: row?.revision ?? null, after } };
}

/**
 * Reports outcomes of runs to the circuits of their tools, once a second and together. A tool that does not fail and has no row costs no
 * SQL.
 */
export class CircuitReporter {
  private readonly counts = new OutcomeCounts();
  private timer: NodeJS.Timeout | undefined;
  private reporting: Promise<void> | undefined;

  constructor(
    private readonly parts: Pick<AppDeps, 'store' | 'clock' | 'logger'>,
    private readonly view: CircuitView,
    private readonly metrics: CircuitMetrics,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.report(), REPORT_MS);
    this.timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.reporting;
  }

  /** The end of a call that ran here. A call that was cancelled, or taken over from a dead executor, says nothing about its tool. */
  ended(job: Job, outcome: Outcome): void {
    if (job.owner_dead || job.cancelled || job.fired_at_ms === 0) return;
    const { tool, version, deadline_ms } = job.call;
    const found = circuitOutcomeOf(outcome, deadline_ms);
    if (!found || beganBefore(this.view.circuit(job.tenant_id, tool, version), job.fired_at_ms)) return;
    this.counts.add({ tenant_id: job.tenant_id, tool, version }, found, this.parts.clock.now_ms());
  }

  /** Reports now, one report at a time. Never rejects: what could not be reported is part of the next report. */
  report(): Promise<void> {
    this.reporting ??= this.reportAll().finally(() => {
      this.reporting = undefined;
    });
    return this.reporting;
  }

  private async reportAll(): Promise<void> {
    let left = this.due();
    try {
      for (let tries = 0; left.length > 0 && tries < TRIES; tries++) left = await this.write(left);
    } catch (cause) {
      this.parts.logger.warn({ event: 'circuits_not_written', cause: String(cause) }, 'circuits of tools could not be written; retrying');
    }
    const now_ms = this.parts.clock.now_ms();
    for (const counted of left) this.counts.putBack(counted, now_ms);
  }

  /** Outcomes to report, and circuits that time alone changes. */
  private due(): CountedOutcomes[] {
    const rows = this.view.all();
    const now_ms = this.parts.clock.now_ms();
    const counted = this.counts.take(rows);
    const names = new Set(counted.map(({ key }) => nameOf(key)));
    const changed = rows.filter((row) => {
      const { circuit, transition } = decideCircuit(row.circuit, [], now_ms, CIRCUIT_DEFAULTS);
      return !names.has(nameOf(row)) && (transition !== undefined || !circuit);
    });
    return [...counted, ...changed.map(({ tenant_id, tool, version }) => ({ key: { tenant_id, tool, version }, slots: [] }))];
  }

  /** @returns the reports whose row another executor changed meanwhile. */
  private async write(reports: readonly CountedOutcomes[]): Promise<CountedOutcomes[]> {
    const { store, clock } = this.parts;
    const rows = await circuitsFor(
      store,
      reports.map(({ key }) => key),
    );
    const byName = new Map(rows.map((row) => [nameOf(row), row]));
    const now_ms = clock.now_ms();
    const decided = reports
      .map((report) => decidedOn(report, byName.get(nameOf(report.key)), now_ms))
      .filter(({ change }) => change.revision !== null || change.after !== null);
    const written = await changeCircuits(
      store,
      decided.map(({ change }) => change),
    );
    const names = new Set(written.map(nameOf));
    for (const { report, decision } of decided) if (names.has(nameOf(report.key))) this.logTransition(report.key, decision);
    return decided.filter(({ report }) => !names.has(nameOf(report.key))).map(({ report }) => report);
  }

  private logTransition({ tenant_id, tool, version }: CircuitKey, { circuit, transition }: CircuitDecision): void {
    if (!transition) return;
    this.metrics.changed(transition);
    const { logger } = this.parts;
    const about = { event: `circuit_${transition}`, tenant_id, tool, version };
    if (transition === 'closed') logger.info(about, 'the tool works again: its circuit is closed');
    else {
      const open_ms = (circuit?.open_until_ms ?? 0) - (circuit?.opened_at_ms ?? 0);
      logger.warn({ ...about, openings: circuit?.openings, open_ms }, 'the tool fails: its circuit is open');
    }
  }
}
