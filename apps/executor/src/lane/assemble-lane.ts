import { TenantRulings, type TrustSource } from '@countersign/decisions';
import { tenantOf } from '@countersign/domain';
import { BatchDecoder } from '@countersign/event-log';
import { type AppDeps, CallTracer, LogTime } from '@countersign/process';
import { SqlArbiter } from '../arbiter/sql-arbiter.js';
import { InFlightCalls } from '../calls/in-flight-calls.js';
import type { Job } from '../calls/job.js';
import type { CircuitReporter } from '../circuits/circuit-reporter.js';
import { ClaimConflicts } from '../claims/claim-conflicts.js';
import { Claims } from '../claims/claims.js';
import { ClosedApprovals } from '../claims/closed-approvals.js';
import { EarlierAnswers } from '../claims/earlier-answers.js';
import { KeyWindows } from '../claims/key-windows.js';
import { UndoneEffects } from '../claims/undone-effects.js';
import { Intake } from '../intake/intake.js';
import { OrphanJobs } from '../intake/orphan-jobs.js';
import { Takeover } from '../intake/takeover.js';
import { Judge, type OwnConfiguration } from '../judging/judge.js';
import { PreExecutionGate } from '../judging/pre-execution-gate.js';
import { RecordHold } from '../judging/record-hold.js';
import { Redactor } from '../judging/redactor.js';
import { Lease } from '../lease/lease.js';
import { SqlLeases } from '../lease/sql-leases.js';
import { EndsReader } from '../partitions/ends-reader.js';
import { HistoryCommits } from '../partitions/history-commits.js';
import { Partitions } from '../partitions/partitions.js';
import { ProgressWriter } from '../partitions/progress-writer.js';
import { RowRestorer } from '../partitions/row-restorer.js';
import { PersonalDataDecryptor } from '../personal/personal-data-decryptor.js';
import { ClaimStep } from '../pipeline/claim-step.js';
import { EndStep } from '../pipeline/end-step.js';
import { Pipeline } from '../pipeline/pipeline.js';
import { PrepareStep } from '../pipeline/prepare-step.js';
import { RunStep } from '../pipeline/run-step.js';
import { StartStep } from '../pipeline/start-step.js';
import { Appender } from '../recording/appender.js';
import { EventWriter } from '../recording/event-writer.js';
import { OutcomeRecorder } from '../recording/outcome-recorder.js';
import { RecordedEnds } from '../recording/recorded-ends.js';
import { Resolutions } from '../recording/resolutions.js';
import { StartRecorder } from '../recording/start-recorder.js';
import { EffectChecks } from '../resources/effect-checks.js';
import { ResourceNames } from '../resources/resource-names.js';
import { CallRunner } from '../running/call-runner.js';
import { CallSpans } from '../running/call-spans.js';
import { type RunLimits, RunResults } from '../running/run-results.js';
import { Dispatcher } from '../scheduling/dispatcher.js';
import { FairQueue, type Share } from '../scheduling/fair-queue.js';
import type { ToolTallies } from '../tallies/tool-tallies.js';
import type { ToolRuns } from '../tool-runs/tool-runs.js';
import { BackgroundWork } from './background-work.js';
import { LaneExecutor } from './lane-executor.js';
import { LanePartitions } from './lane-partitions.js';
import { LaneTimer } from './lane-timer.js';
import { LaneUpkeep } from './lane-upkeep.js';
import { RecordHandler } from './record-handler.js';
import { Slots } from './slots.js';

export interface LaneOptions {
  lane: string;
  instance_id: string;
  running_max: number;
  waiting_max: number;
  lease_ms: number;
  heartbeat_ms: number;
  /** True if no other executor can run on this store and log. */
  exclusive: boolean;
  /** The trust scores; absent: none, and every condition on trust is false. */
  trust?: TrustSource;
  limits: RunLimits;
}

/** Dependencies that all lanes of a process share. */
export interface SharedByLanes {
  configuration: OwnConfiguration;
  runtime: ToolRuns;
  tools: ToolTallies;
  circuits: CircuitReporter;
}

const SETTLED_MAX = 5_000;

/** The slots of a tenant: as configured, or none while its record is damaged. */
function sharesOf(configuration: OwnConfiguration, hold: RecordHold, running_max: number): (tenant_id: string) => Share {
  return (tenant_id) => {
    const share = tenantOf(configuration.state, tenant_id) ?? { weight: 1, running_max };
    return hold.holds(tenant_id) ? { weight: share.weight, running_max: 0 } : share;
  };
}

/** Base services of a lane: its log clock, partitions, open calls and lease. */
function foundationOf(deps: AppDeps, options: LaneOptions) {
  const { log, codec, schemas, store, clock, logger } = deps;
  const time = new LogTime();
  const partitions = new Partitions();
  const open = new InFlightCalls(SETTLED_MAX);
  const source = { log, decoder: new BatchDecoder(codec, schemas) };
  const arbiter = new SqlArbiter(store, options.lane, () => clock.now_ms());
  const restorer = new RowRestorer(source, arbiter, logger, deps.key_snapshot);
  const lease = new Lease(new SqlLeases(store, options.lane, restorer), options, clock, logger);
  const log_clock = { now_ms: () => clock.now_ms() + time.ahead_ms, monotonic_ms: () => clock.monotonic_ms() };
  return { time, log_clock, partitions, open, source, arbiter, lease, reader: new EndsReader(source, partitions, open) };
}

/** Builds the execution of one lane. */
export function assembleLane(deps: AppDeps, options: LaneOptions, shared: SharedByLanes): LaneExecutor {
  const { codec, clock, logger } = deps;
  const { configuration, runtime, tools, circuits } = shared;
  const { lane } = options;
  const { time, log_clock, partitions, open, source, arbiter, lease, reader } = foundationOf(deps, options);
  const hold = new RecordHold(lane, deps.damage);
  const judge = new Judge(configuration, new TenantRulings(log_clock.now_ms, options.trust), log_clock.now_ms);
  const decryptor = new PersonalDataDecryptor(deps.personal, () => configuration.state, logger);
  const redactor = new Redactor(judge);
  const writer = new EventWriter(codec, clock, redactor);
  const appender = new Appender(deps.log, logger);
  const queue = new FairQueue<Job>(options.running_max, sharesOf(configuration, hold, options.running_max));
  const names = new ResourceNames(deps.keys);
  const dispatcher = new Dispatcher(queue, { judge, runtime, decryptor, names, logger }, log_clock);
  const windows = new KeyWindows(configuration);
  const resolutions = new Resolutions({ writer, appender, arbiter, reader, clock }, partitions, () => lease.proven());
  const intake = new Intake(partitions, open, { clock: log_clock, decryptor, windows, runtime, resolutions, logger });
  const conflicts = new ClaimConflicts(partitions, open, runtime, windows, clock);
  const claims = new Claims({ arbiter, lease, conflicts, logger }, partitions);
  const answers = new EarlierAnswers({ reader, partitions, runtime, checks: new EffectChecks(runtime) }, conflicts);
  const gate = new PreExecutionGate(judge, { runtime, decryptor, hold }, partitions, log_clock);
  const undone = new UndoneEffects({
    arbiter,
    reader,
    partitions,
    blobs: deps.blobs,
    personal: deps.personal,
    now_ms: () => clock.now_ms(),
  });
  const starts = new StartRecorder({ writer, appender, lease, judge, runtime }, partitions);
  const spans = new CallSpans(new CallTracer('executor', deps.tracing), runtime, deps.tracing);
  const observer = spans.recording ? spans : undefined;
  const results = new RunResults(runtime, clock, observer, options.limits);
  const runs = new CallRunner(runtime, { lease, clock, logger, observer, redactor, decryptor }, results, undone);
  const recorded = new RecordedEnds(deps.wake_ups, lane);
  const ends = new OutcomeRecorder({ writer, appender, lease, judge, recorded }, partitions, open);
  const commits = new HistoryCommits();
  const progress = new ProgressWriter(arbiter, partitions, commits);
  const steps = {
    prepare: new PrepareStep(intake, open, partitions, queue),
    judge: dispatcher,
    claim: new ClaimStep(claims, answers, progress, lease, clock),
    start: new StartStep(starts, gate, undone),
    run: new RunStep(runs, ends, resolutions, { spans, lease, decryptor, logger }),
    end: new EndStep(ends, new ClosedApprovals(arbiter, logger), { configuration, decryptor, spans, tools, circuits }),
  };
  const pipeline = new Pipeline(steps, logger);
  const jobs = new OrphanJobs(arbiter, source, decryptor, logger);
  const takeover = new Takeover(arbiter, reader, jobs, partitions, { lease, gate, runtime, decryptor, clock, logger });
  const upkeep = new LaneUpkeep(pipeline, partitions, { reader, takeover, progress });
  const background = new BackgroundWork(logger);
  const slots = new Slots(dispatcher, pipeline, lease, options.waiting_max);
  const timed = { configuration, gate, runs, dispatcher, slots, claims };
  const stages = {
    partitions: new LanePartitions(lane, { arbiter, reader }, partitions, { pipeline, dispatcher, open }),
    records: new RecordHandler({ codec, commits, decryptor, time, clock }, intake, pipeline, slots),
    pipeline,
    timer: new LaneTimer(lease, pipeline, timed, upkeep, background),
    upkeep,
    background,
  };
  return new LaneExecutor(lane, lease, stages, { queue, open, runs, ends, judge }, { clock, logger });
}
