import { randomInt } from 'node:crypto';
import { type AppDeps, type Evidence, type KnownDamage, recordScan } from '@countersign/process';
import { keepScrub, openScrub, type ScrubRun } from '@countersign/store';
import type { Registry } from 'prom-client';
import { BackgroundPace, ComparisonStopped, GENTLE_REST, HASTY_REST } from '../audit/background-pace.js';
import { LogPass } from '../audit/log-pass.js';
import { repeatWork } from '../audit/repeated-work.js';
import { measureScrub, Scrubber } from '../audit/scrubber.js';
import { AllCalls } from '../state-check/all-calls.js';
import { AllCases } from '../state-check/all-cases.js';
import { AllExecutions } from '../state-check/all-executions.js';
import { CallCheck } from '../state-check/call-check.js';
import { CallRecords } from '../state-check/call-records.js';
import { CaseRecords } from '../state-check/case-records.js';
import { ExecutionCheck } from '../state-check/execution-check.js';
import { ExecutionRecords } from '../state-check/execution-records.js';
import { StateCheckMetrics } from '../state-check/state-check-metrics.js';
import type { StateChecks } from '../state-check/state-checks.js';
import { StateSampler } from '../state-check/state-sampler.js';
import { ReportedDamage } from './reported-damage.js';
import { RunningScrub, ScrubLeft } from './scrub-run.js';

/** 25 calls per interval: 100 a minute. */
const SAMPLE_MS = 15_000;
const POLL_MS = 1_000;

/** What the record is compared with. */
export interface CheckedParts {
  evidence: Evidence;
  damage: KnownDamage;
  /** Whether this process is responsible for the trees. */
  owner: { readonly isOwner: boolean };
  metrics: Registry;
}

type RecordSource = Pick<AppDeps, 'log' | 'codec' | 'schemas' | 'store' | 'logger' | 'clock'>;

function stateChecks({ log, codec, schemas, store }: RecordSource, pace: BackgroundPace): StateChecks {
  const records = new CallRecords({ log, codec, schemas }, pace);
  return {
    records,
    calls: new CallCheck(store, records),
    executions: new ExecutionCheck(store, pace),
    logged: new ExecutionRecords(records),
  };
}

/** Compares log and rows with what was signed while the process runs: continuously at a low rate, and at once on request. */
export class BackgroundChecks {
  private readonly stopping = new AbortController();
  private readonly pace = new BackgroundPace(GENTLE_REST, this.stopping.signal);
  private readonly metrics: StateCheckMetrics;
  private scrubber: Scrubber | undefined;
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly deps: RecordSource,
    private readonly parts: CheckedParts,
  ) {
    this.metrics = new StateCheckMetrics(parts.metrics);
  }

  start(): void {
    const { logger } = this.deps;
    const terms = { pace: this.pace, owner: this.parts.owner, logger };
    const sampler = this.sampler();
    const scrub = this.scrub();
    this.running = Promise.all([
      scrub?.run(),
      repeatWork(terms, SAMPLE_MS, () => sampler.next()),
      repeatWork(terms, POLL_MS, () => this.requestedScrub()),
    ]);
  }

  async close(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private scrub(): Scrubber | undefined {
    const { log, logger, clock } = this.deps;
    const { evidence, damage, owner, metrics } = this.parts;
    if (!evidence.scrubbed) return undefined;
    const scan = recordScan(log, evidence, damage, 'scrub');
    this.scrubber = new Scrubber({ scan, kept: evidence.scrubbed, owner, now_ms: () => clock.now_ms(), logger, pace: this.pace });
    measureScrub(this.scrubber, metrics);
    return this.scrubber;
  }

  private sampler(): StateSampler {
    const { log, store } = this.deps;
    const { evidence, damage } = this.parts;
    const scan = recordScan(log, evidence, damage, 'sample');
    const source = { store, signed: () => scan.signed(), random: (below: number) => randomInt(below) };
    return new StateSampler(source, stateChecks(this.deps, this.pace), damage, this.metrics);
  }

  /** Runs a requested scrub. */
  private async requestedScrub(): Promise<void> {
    const run = await openScrub(this.deps.store);
    if (!run) return;
    this.deps.logger.info({ event: 'scrub_started', run_id: run.run_id, views: run.views }, 'comparing the whole log');
    const damage = new ReportedDamage(this.parts.damage);
    try {
      await this.scrubOf(run, damage).finish();
      await this.scrubber?.finished();
      this.deps.logger.info({ event: 'scrub_ended', run_id: run.run_id, damages: damage.damages }, 'compared the whole log');
    } catch (cause) {
      if (cause instanceof ScrubLeft || cause instanceof ComparisonStopped) return;
      await keepScrub(this.deps.store, {
        ...run,
        ended_at_ms: this.deps.clock.now_ms(),
        damages: damage.damages,
        found: damage.listed,
        fault: String(cause),
      });
      throw cause;
    }
  }

  private scrubOf(run: ScrubRun, damage: ReportedDamage): RunningScrub {
    const { log, store, logger, clock } = this.deps;
    const pace = new BackgroundPace(HASTY_REST, this.stopping.signal);
    const checks = stateChecks(this.deps, pace);
    const all = {
      log: new LogPass(recordScan(log, this.parts.evidence, damage, 'scrub'), pace, logger),
      calls: new AllCalls(store, checks.records, checks.calls),
      executions: new AllExecutions(store, checks),
      cases: new AllCases(store, new CaseRecords(checks.records)),
      damage,
    };
    const goesOn = () => this.parts.owner.isOwner && !this.stopping.signal.aborted;
    return new RunningScrub(run, store, all, { goesOn, now_ms: () => clock.now_ms() });
  }
}
