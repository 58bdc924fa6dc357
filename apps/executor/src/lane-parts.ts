import { TenantRulings, type TrustSource } from '@countersign/decisions';
import { tenantOf } from '@countersign/domain';
import { BatchDecoder } from '@countersign/event-log';
import { type AppDeps, CallTracer, LogTime } from '@countersign/process';
import { SqlArbiter } from './arbiter/sql-arbiter.js';
import { InFlightCalls } from './calls/in-flight-calls.js';
import type { Job } from './calls/job.js';
import { ClaimConflicts } from './claims/claim-conflicts.js';
import { Claims } from './claims/claims.js';
import { ClosedApprovals } from './claims/closed-approvals.js';
import { EarlierAnswers } from './claims/earlier-answers.js';
import { KeyWindows } from './claims/key-windows.js';
import { Intake } from './intake/intake.js';
import { Takeover } from './intake/takeover.js';
import { Judge, type OwnConfiguration } from './judging/judge.js';
import { PreExecutionGate } from './judging/pre-execution-gate.js';
import { RecordHold } from './judging/record-hold.js';
import { Redactor } from './judging/redactor.js';
import { Lease } from './lease/lease.js';
import { SqlLeases } from './lease/sql-leases.js';
import { EndsReader } from './partitions/ends-reader.js';
import { HistoryCommits } from './partitions/history-commits.js';
import { Partitions } from './partitions/partitions.js';
import { ProgressWriter } from './partitions/progress-writer.js';
import { RowRestorer } from './partitions/row-restorer.js';
import { PersonalDataDecryptor } from './personal/personal-data-decryptor.js';
import { ClaimStep } from './pipeline/claim-step.js';
import { EndStep } from './pipeline/end-step.js';
import { Pipeline } from './pipeline/pipeline.js';
import { PrepareStep } from './pipeline/prepare-step.js';
import { RunStep } from './pipeline/run-step.js';
import { StartStep } from './pipeline/start-step.js';
import { Appender } from './recording/appender.js';
import { EventWriter } from './recording/event-writer.js';
import { OutcomeRecorder } from './recording/outcome-recorder.js';
import { RecordedEnds } from './recording/recorded-ends.js';
import { Resolutions } from './recording/resolutions.js';
import { StartRecorder } from './recording/start-recorder.js';
import { EffectChecks } from './resources/effect-checks.js';
import { ResourceNames } from './resources/resource-names.js';
import { CallRunner } from './running/call-runner.js';
import { CallSpans } from './running/call-spans.js';
import { type RunLimits, RunResults } from './running/run-results.js';
import { Dispatcher } from './scheduling/dispatcher.js';
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
  readonly open = new InFlightCalls(SETTLED_MAX);
  readonly commits = new HistoryCommits();
  readonly lease: Lease;
  readonly judge: Judge;
  readonly hold: RecordHold;
  readonly queue: FairQueue<Job>;
  readonly dispatcher: Dispatcher;
  readonly decryptor: PersonalDataDecryptor;
  readonly intake: Intake;
  readonly claims: Claims;
  readonly gate: PreExecutionGate;
  readonly runs: CallRunner;
  readonly ends: OutcomeRecorder;
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
    const decryptor = new PersonalDataDecryptor(deps.personal, () => configuration.state, logger);
    const redactor = new Redactor(judge);
    const writer = new EventWriter(codec, clock, redactor);
    const appender = new Appender(log, logger);
    const arbiter = new SqlArbiter(store, options.lane, () => clock.now_ms());
    const restorer = new RowRestorer({ log, decoder }, arbiter, logger, deps.key_snapshot);
    const spans = new CallSpans(new CallTracer('executor', deps.tracing), runtime, deps.tracing);
    const lease = new Lease(new SqlLeases(store, options.lane, restorer), options, clock, logger);
    const checks = new EffectChecks(runtime);
    const resolutions = new Resolutions({ writer, appender, arbiter, clock }, partitions, () => lease.proven());
    const conflicts = new ClaimConflicts(partitions, open, runtime, windows, clock);
    const starts = new StartRecorder({ writer, appender, lease, judge, runtime }, partitions);
    this.judge = judge;
    this.decryptor = decryptor;
    this.arbiter = arbiter;
    this.lease = lease;
    this.progress = new ProgressWriter(arbiter, partitions, this.commits);
    this.queue = new FairQueue(options.running_max, (tenant_id) => this.shareOf(tenant_id));
    this.dispatcher = new Dispatcher(this.queue, { judge, runtime, decryptor, names: new ResourceNames(deps.keys), logger }, log_clock);
    this.intake = new Intake(partitions, open, { clock: log_clock, decryptor, windows, runtime, resolutions, logger });
    this.claims = new Claims({ arbiter, lease, conflicts, logger }, partitions);
    this.gate = new PreExecutionGate(judge, { runtime, decryptor, hold: this.hold }, partitions, log_clock);
    const observer = spans.recording ? spans : undefined;
    const results = new RunResults(runtime, clock, observer, options.limits);
    this.runs = new CallRunner(runtime, { lease, clock, logger, observer, redactor, decryptor }, results);
    this.ends = new OutcomeRecorder(
      { writer, appender, lease, judge, recorded: new RecordedEnds(deps.wake_ups, options.lane) },
      partitions,
      open,
    );
    this.reader = new EndsReader({ log, decoder }, partitions, open);
    const { reader, gate, runs, ends, progress, claims } = this;
    this.takeover = new Takeover(arbiter, { log, decoder, reader }, partitions, { lease, gate, runtime, decryptor, clock, logger });
    const answers = new EarlierAnswers({ reader, partitions, runtime, checks }, conflicts);
    this.pipeline = new Pipeline(
      {
        prepare: new PrepareStep(this.intake, open, partitions, this.queue),
        judge: this.dispatcher,
        claim: new ClaimStep(claims, answers, progress, lease, clock),
        start: new StartStep(starts, gate),
        run: new RunStep(runs, ends, resolutions, { spans, lease, decryptor, logger }),
        end: new EndStep(ends, new ClosedApprovals(arbiter, logger), { configuration, decryptor, spans, tools }),
      },
      logger,
    );
  }

  private shareOf(tenant_id: string): { weight: number; running_max: number } {
    const share = tenantOf(this.configuration.state, tenant_id) ?? { weight: 1, running_max: this.options.running_max };
    return this.hold.holds(tenant_id) ? { weight: share.weight, running_max: 0 } : share;
  }
}
