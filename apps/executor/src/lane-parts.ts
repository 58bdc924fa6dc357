import { TenantRulings, type TrustSource } from '@countersign/decisions';
import { caseOf, tenantOf } from '@countersign/domain';
import { BatchDecoder } from '@countersign/event-log';
import { type AppDeps, CallTracer, LogTime } from '@countersign/process';
import { Judge, type OwnConfiguration } from './judging/judge.js';
import { Redactor } from './judging/redactor.js';
import { Lease } from './lease/lease.js';
import { SqlLeases } from './lease/sql-leases.js';
import { EndsReader } from './partitions/ends-reader.js';
import { Partitions } from './partitions/partitions.js';
import { ProgressWriter } from './partitions/progress-writer.js';
import { Refold } from './partitions/refold.js';
import { Openings } from './personal/openings.js';
import { EffectChecks } from './resources/effect-checks.js';
import { ResourceNames } from './resources/resource-names.js';
import { Appender } from './running/appender.js';
import { CallSpans } from './running/call-spans.js';
import { Claims } from './running/claims.js';
import { Dispatcher } from './running/dispatcher.js';
import { Ends } from './running/ends.js';
import { EventWriter } from './running/event-writer.js';
import { FirstFires } from './running/first-fires.js';
import { Intake } from './running/intake.js';
import type { Job } from './running/job.js';
import { LostClaims } from './running/lost-claims.js';
import { OpenCalls } from './running/open-calls.js';
import { Resolutions } from './running/resolutions.js';
import { type RunLimits, Runs } from './running/runs.js';
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

/** All that one lane's execution is made of. */
export class LaneParts {
  /** Rulings and grants are good until a time by the log's clock. */
  readonly time = new LogTime();
  readonly lease: Lease;
  readonly partitions = new Partitions();
  readonly open = new OpenCalls(SETTLED_MAX);
  readonly judge: Judge;
  readonly queue: FairQueue<Job>;
  readonly dispatcher: Dispatcher;
  readonly openings: Openings;
  readonly intake: Intake;
  readonly claims: Claims;
  readonly lost: LostClaims;
  readonly starts: Starts;
  readonly firstFires: FirstFires;
  readonly runs: Runs;
  readonly ends: Ends;
  readonly reader: EndsReader;
  readonly takeover: Takeover;
  readonly resolutions: Resolutions;
  readonly arbiter: SqlArbiter;
  readonly refold: Refold;
  readonly progress: ProgressWriter;
  readonly spans: CallSpans;
  readonly checks: EffectChecks;

  constructor(
    readonly deps: AppDeps,
    readonly options: LaneOptions,
    readonly configuration: OwnConfiguration,
    readonly runtime: ToolRuns,
    readonly tools: ToolTallies,
  ) {
    const { log, codec, store, clock, logger, schemas } = deps;
    const decoder = new BatchDecoder(codec, schemas);
    const now_ms = () => clock.now_ms() + this.time.ahead_ms;
    const log_clock = { now_ms, monotonic_ms: () => clock.monotonic_ms() };
    this.judge = new Judge(configuration, new TenantRulings(now_ms, options.trust), now_ms);
    this.openings = new Openings(deps.personal, () => configuration.state, logger);
    const redactor = new Redactor(this.judge);
    const writer = new EventWriter(codec, clock, redactor);
    const appender = new Appender(log, logger);
    this.arbiter = new SqlArbiter(store, options.lane, () => clock.now_ms());
    this.refold = new Refold(log, decoder, this.arbiter, logger, deps.key_snapshot);
    this.spans = new CallSpans(new CallTracer('executor', deps.tracing), runtime, deps.tracing);
    this.progress = new ProgressWriter(this.arbiter, this.partitions);
    this.lease = new Lease(new SqlLeases(store, options.lane, () => this.refold.epochMax), options, clock, logger);
    this.queue = new FairQueue(options.running_max, (tenant_id) => this.shareOf(tenant_id));
    this.dispatcher = new Dispatcher(
      this.queue,
      this.judge,
      { runtime, openings: this.openings, names: new ResourceNames(deps.keys), logger },
      log_clock,
    );
    this.checks = new EffectChecks(runtime);
    this.intake = new Intake(this.partitions, this.open, log_clock, this.openings);
    this.claims = new Claims(this.arbiter, this.lease, logger);
    this.lost = new LostClaims(this.partitions, this.open);
    this.starts = new Starts(writer, appender, this.partitions);
    this.firstFires = new FirstFires(this.judge, { runtime, openings: this.openings }, log_clock);
    this.runs = new Runs(runtime, this.lease, clock, options.limits);
    this.runs.redactor = redactor;
    this.runs.openings = this.openings;
    this.ends = new Ends(writer, appender, this.partitions, this.open);
    this.reader = new EndsReader(log, decoder, this.partitions);
    this.takeover = new Takeover(this.arbiter, { log, decoder, reader: this.reader }, this.partitions, {
      runtime,
      clock,
      logger,
      openings: this.openings,
    });
    this.resolutions = new Resolutions({ writer, appender, arbiter: this.arbiter, clock }, this.partitions, () => this.lease.proven());
  }

  private shareOf(tenant_id: string): { weight: number; running_max: number } {
    return tenantOf(this.configuration.state, tenant_id) ?? { weight: 1, running_max: this.options.running_max };
  }

  /** Whether the approval of a grant ended without one: then the record of its end stands, and the grant is none. */
  async withoutApproval(job: Job): Promise<boolean> {
    const approval_id = job.authorised.approval_id as string;
    const closed = await this.arbiter.isClosed(approval_id);
    if (closed) this.deps.logger.error({ call_id: job.call_id, approval_id }, 'a grant of an approval that had ended was not executed');
    return closed;
  }

  /** How long a settled key answers: its window, and never shorter than its case is open. */
  windowOf(job: Job): number {
    const { case_id, window_ms } = job.call;
    if (case_id === null) return window_ms;
    return caseOf(this.configuration.state, job.tenant_id, case_id)?.state === 'closed' ? window_ms : Number.POSITIVE_INFINITY;
  }
}
