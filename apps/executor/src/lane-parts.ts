import { TenantRulings, type TrustSource } from '@countersign/decisions';
import { tenantOf } from '@countersign/domain';
import { BatchDecoder } from '@countersign/event-log';
import { type AppDeps, CallTracer, LogTime } from '@countersign/process';
import { Judge, type OwnConfiguration } from './judging/judge.js';
import { RecordHold } from './judging/record-hold.js';
import { Redactor } from './judging/redactor.js';
import { Lease } from './lease/lease.js';
import { SqlLeases } from './lease/sql-leases.js';
import { EndsReader } from './partitions/ends-reader.js';
import { HistoryCommits } from './partitions/history-commits.js';
import { Partitions } from './partitions/partitions.js';
import { ProgressWriter } from './partitions/progress-writer.js';
import { Refold } from './partitions/refold.js';
import { Openings } from './personal/openings.js';
import { Claim } from './pipeline/claim.js';
import { End } from './pipeline/end.js';
import { Pipeline } from './pipeline/pipeline.js';
import { Prepare } from './pipeline/prepare.js';
import { Run } from './pipeline/run.js';
import { Start } from './pipeline/start.js';
import { EffectChecks } from './resources/effect-checks.js';
import { ResourceNames } from './resources/resource-names.js';
import { Appender } from './running/appender.js';
import { CallSpans } from './running/call-spans.js';
import { ClaimConflicts } from './running/claim-conflicts.js';
import { Claims } from './running/claims.js';
import { ClosedApprovals } from './running/closed-approvals.js';
import { Dispatcher } from './running/dispatcher.js';
import { EarlierAnswers } from './running/earlier-answers.js';
import { Ends } from './running/ends.js';
import { EventWriter } from './running/event-writer.js';
import { FireGate } from './running/fire-gate.js';
import { Intake } from './running/intake.js';
import type { Job } from './running/job.js';
import { KeyWindows } from './running/key-windows.js';
import { OpenCalls } from './running/open-calls.js';
import { RecordedEnds } from './running/recorded-ends.js';
import { Resolutions } from './running/resolutions.js';
import { type RunLimits, RunResults } from './running/run-results.js';
import { Runs } from './running/runs.js';
import { SqlArbiter } from './running/sql-arbiter.js';
import { Starts } from './running/starts.js';
import { Takeover } from './running/takeover.js';
import { FairQueue } from './scheduling/fair-queue.js';
import type { ToolTallies } from './tallies/tool-tallies.js';
import type { ToolRuns } from './tool-runs/tool-runs.js';

export interface LaneOptions {
  lane: string;
  instance_id: string;
  running_max: number;
  waiting_max: number;
  lease_ms: number;
  heartbeat_ms: number;
  /** No other executor can be alive on this store and log. */
  exclusive: boolean;
  /** What is told of trust; absent: nothing, and no condition that asks for it holds. */
  trust?: TrustSource;
  limits: RunLimits;
}

const SETTLED_MAX = 5_000;

/** Builds all that one lane's execution is made of. */
export class LaneParts {
  /** Rulings and grants are good until a time by the log's clock. */
  readonly time = new LogTime();
  readonly partitions = new Partitions();
  readonly open = new OpenCalls(SETTLED_MAX);
  readonly commits = new HistoryCommits();
  readonly lease: Lease;
  readonly judge: Judge;
  readonly hold: RecordHold;
  readonly queue: FairQueue<Job>;
  readonly dispatcher: Dispatcher;
  readonly openings: Openings;
  readonly intake: Intake;
  readonly claims: Claims;
  readonly gate: FireGate;
  readonly runs: Runs;
  readonly ends: Ends;
  readonly reader: EndsReader;
  readonly takeover: Takeover;
  readonly arbiter: SqlArbiter;
  readonly progress: ProgressWriter;
  readonly pipeline: Pipeline;

  constructor(
    readonly deps: AppDeps,
    readonly options: LaneOptions,
    readonly configuration: OwnConfiguration,
    runtime: ToolRuns,
    tools: ToolTallies,
  ) {
    const { log, codec, store, clock, logger, schemas } = deps;
    const { partitions, open } = this;
    const decoder = new BatchDecoder(codec, schemas);
    const now_ms = () => clock.now_ms() + this.time.ahead_ms;
    const log_clock = { now_ms, monotonic_ms: () => clock.monotonic_ms() };
    const windows = new KeyWindows(configuration);
    this.hold = new RecordHold(options.lane, deps.damage);
    const judge = new Judge(configuration, new TenantRulings(now_ms, options.trust), now_ms);
    const openings = new Openings(deps.personal, () => configuration.state, logger);
    const redactor = new Redactor(judge);
    const writer = new EventWriter(codec, clock, redactor);
    const appender = new Appender(log, logger);
    const arbiter = new SqlArbiter(store, options.lane, () => clock.now_ms());
    const refold = new Refold(log, decoder, arbiter, logger, deps.key_snapshot);
    const spans = new CallSpans(new CallTracer('executor', deps.tracing), runtime, deps.tracing);
    const lease = new Lease(new SqlLeases(store, options.lane, refold), options, clock, logger);
    const checks = new EffectChecks(runtime);
    const resolutions = new Resolutions({ writer, appender, arbiter, clock }, partitions, () => lease.proven());
    const conflicts = new ClaimConflicts(partitions, open, runtime, windows, clock);
    const starts = new Starts({ writer, appender, lease, judge, runtime }, partitions);
    this.judge = judge;
    this.openings = openings;
    this.arbiter = arbiter;
    this.lease = lease;
    this.progress = new ProgressWriter(arbiter, partitions, this.commits);
    this.queue = new FairQueue(options.running_max, (tenant_id) => this.shareOf(tenant_id));
    this.dispatcher = new Dispatcher(this.queue, { judge, runtime, openings, names: new ResourceNames(deps.keys), logger }, log_clock);
    this.intake = new Intake(partitions, open, { clock: log_clock, openings, windows, runtime, resolutions, logger });
    this.claims = new Claims({ arbiter, lease, conflicts, logger }, partitions);
    this.gate = new FireGate(judge, { runtime, openings, hold: this.hold }, partitions, log_clock);
    const observer = spans.recording ? spans : undefined;
    const results = new RunResults(runtime, clock, observer, options.limits);
    this.runs = new Runs(runtime, { lease, clock, logger, observer, redactor, openings }, results);
    this.ends = new Ends({ writer, appender, lease, judge, recorded: new RecordedEnds(deps.wake_ups, options.lane) }, partitions, open);
    this.reader = new EndsReader(log, decoder, partitions, open);
    const { reader, gate, runs, ends, progress, claims } = this;
    this.takeover = new Takeover(arbiter, { log, decoder, reader }, partitions, { lease, gate, runtime, openings, clock, logger });
    const answers = new EarlierAnswers({ reader, partitions, runtime, checks }, conflicts);
    this.pipeline = new Pipeline(
      {
        prepare: new Prepare(this.intake, open, partitions, this.queue),
        judge: this.dispatcher,
        claim: new Claim(claims, answers, progress, lease, clock),
        start: new Start(starts, gate),
        run: new Run(runs, ends, resolutions, { spans, lease, openings, logger }),
        end: new End(ends, new ClosedApprovals(arbiter, logger), { configuration, openings, spans, tools }),
      },
      logger,
    );
  }

  private shareOf(tenant_id: string): { weight: number; running_max: number } {
    const share = tenantOf(this.configuration.state, tenant_id) ?? { weight: 1, running_max: this.options.running_max };
    return this.hold.holds(tenant_id) ? { weight: share.weight, running_max: 0 } : share;
  }
}
