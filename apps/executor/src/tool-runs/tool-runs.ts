import { type CallError, callError, extrasOf, isReadOnly, type Outcome } from '@countersign/contracts';
import type { ReconcileAnswer, Recovery, Refusal } from '@countersign/domain';
import { errorOf, messageOf, type ToolJob, UnsentAnswer } from '@countersign/runtimes';
import { ToolError } from '@countersign/tool-kit';
import type { CallMapping } from '../calls/call-mapping.js';
import { inputsToRun } from '../calls/inputs-to-run.js';
import type { Abortable, Issue, Job } from '../calls/job.js';
import { ResolvedCredentials } from '../calls/resolved-credentials.js';
import { undoesOwn } from '../calls/undone-effect.js';
import type { Mappings } from '../mapping/mappings.js';
import { holdsMs, type Memo } from '../memo/memo.js';
import { type EffectLook, Finishing } from './finishing.js';
import { flagError } from './injection-flags.js';
import type { LoadedTool } from './loaded-tool.js';
import { maskedAnswer, maskedResult, withUses } from './masked-result.js';
import { reconcileAnswer } from './reconcile-answer.js';
import { answered, type Seen, threw } from './recorded-result.js';
import type { RunSurroundings } from './run-surroundings.js';
import { ToolRun } from './tool-run.js';
import type { ToolTable } from './tool-table.js';
import { UndoRuns } from './undo-runs.js';

/** Why a call cannot run here at all. */
export interface Unrunnable {
  why: Extract<Refusal, 'unknown_tool' | 'contract_changed' | 'bad_inputs'>;
  issues: Issue[];
}

type Done = (job: Job, run: Abortable, result: Seen) => void;
/** Resolves with whether this process may still run the call. */
type Proven = () => Promise<boolean>;

const RECONCILE_TIMEOUT_MS = 10_000;

/** Checks again after an asynchronous step: the lease may have expired meanwhile. */
const mayFire = async (run: ToolRun, proven: Proven): Promise<boolean> => (await proven()) && !run.stopped;

const notFired = (): Seen => ({ kind: 'refused', error: callError('CANCELLED', 'the call was stopped before it ran'), effect: 'none' });

function withAttachments(seen: Seen, { attachments }: ToolRun): Seen {
  return attachments && seen.kind === 'output' ? { ...seen, attachments } : seen;
}

/** The job of a run. With a child process it must begin in time; a write must begin in the process that its start record names. */
function firing(loaded: LoadedTool, job: Job, input: unknown, run: ToolRun): ToolJob {
  const tool_job = loaded.job(input, run);
  if (!loaded.runtime.place) return tool_job;
  const { begin_before_ms, place = null } = job;
  return job.write ? { ...tool_job, begin_before_ms, place } : { ...tool_job, begin_before_ms };
}

/** Adds the mapping version and warnings to the result. */
function tellMapping({ version, warnings }: CallMapping, outcome: Outcome): void {
  outcome.extras = extrasOf({ ...outcome.extras, mapping_version: version });
  outcome.warnings.push(...warnings);
}

/** Runs tools through their runtimes. No error or malformed response of a tool escapes: every run ends in a `RunResult`. */
export class ToolRuns {
  private readonly finishing: Finishing;
  private readonly undo: UndoRuns;

  constructor(
    private readonly tools: ToolTable,
    private readonly around: RunSurroundings,
    private readonly memo: Memo,
    private readonly mappings: Mappings | undefined = undefined,
  ) {
    this.finishing = new Finishing(around);
    this.undo = new UndoRuns(this.finishing);
  }

  find({ call, tenant_id }: Job): LoadedTool | undefined {
    return this.tools.find(tenant_id, call.tool, call.version);
  }

  /** Determines the process that a write will run in, for its start record. Undefined: it runs in this one. Never rejects. */
  place(job: Job): Promise<void> | undefined {
    return this.find(job)
      ?.runtime.place?.(job.tenant_id)
      .then(
        (place) => {
          job.place = place;
        },
        () => {
          job.place = null;
        },
      );
  }

  recoveryOf(job: Job): Recovery | null {
    const loaded = this.find(job);
    if (!loaded) return null;
    return undoesOwn(job) ? this.undo.recoveryOf(loaded) : loaded.recovery;
  }

  /** Checks whether the call may run: the contract is the one of its decision, and its inputs are valid. */
  unrunnable(job: Job): Unrunnable | null {
    const tool = this.find(job);
    if (!tool) return { why: 'unknown_tool', issues: [] };
    if (tool.digest !== job.call.contract_digest || isReadOnly(tool.contract.effect_class) === job.write)
      return { why: 'contract_changed', issues: [] };
    job.inputs = JSON.parse(job.inputs_json);
    const issues = tool.inputIssues(job.inputs);
    return issues.length > 0 ? { why: 'bad_inputs', issues } : null;
  }

  /**
   * Starts the run; `done` is called exactly once, even if the tool ignores its signal and responds late. If something must be fetched
   * first, `proven` is checked again before the tool runs: the lease may have expired.
   */
  run(job: Job, ends_ms: number, done: Done, proven: () => Promise<boolean>): void {
    const loaded = this.find(job) as LoadedTool;
    const run = new ToolRun(job, loaded, ends_ms, this.around);
    job.handle = run;
    // The previous attempt may have modified its inputs.
    if (job.inputs === undefined || job.resends > 0) job.inputs = JSON.parse(job.inputs_json);
    if (loaded.contract.auth_requirements?.length)
      this.withCredentials(loaded, job, run, done, proven).catch((cause) => this.broken(job, run, done, cause));
    else this.begin(loaded, job, run, done, proven);
  }

  private begin(loaded: LoadedTool, job: Job, run: ToolRun, done: Done, proven: Proven): void {
    // Personal data is not cached for other calls.
    if (holdsMs(loaded, job) === 0 || job.resends > 0 || job.call.sealed) this.execute(loaded, job, run, done, proven);
    else
      this.remembered(loaded, job, run)
        .then(async (known) => {
          if (known) done(job, run, known);
          else if (await mayFire(run, proven)) this.execute(loaded, job, run, done, proven);
          else done(job, run, notFired());
        })
        .catch((cause) => this.broken(job, run, done, cause));
  }

  /** A call runs only after all its credentials are resolved, so a call without one has had no effect. */
  private async withCredentials(loaded: LoadedTool, job: Job, run: ToolRun, done: Done, proven: Proven): Promise<void> {
    const error = await this.resolve(loaded, job);
    if (error) return done(job, run, { kind: 'refused', error, effect: 'none' });
    if (!(await mayFire(run, proven))) return done(job, run, notFired());
    const masked: Done = (of, at, seen) => {
      const credentials = job.credentials as ResolvedCredentials;
      this.around.credentials.release(credentials);
      done(of, at, withUses(maskedResult(seen, credentials, loaded.contract.max_output_bytes), credentials));
    };
    this.begin(loaded, job, run, masked, proven);
  }

  private async resolve(loaded: LoadedTool, job: Job): Promise<CallError | undefined> {
    const server = loaded.origin.is_tenants ? 'tenant' : 'operator';
    const found = await this.around.credentials.resolve(job, loaded.contract.auth_requirements ?? [], server);
    if (!(found instanceof ResolvedCredentials)) return found;
    job.credentials = found;
    return undefined;
  }

  private execute(loaded: LoadedTool, job: Job, run: ToolRun, done: Done, proven: Proven): void {
    let running: Promise<unknown>;
    try {
      const mapping = this.mappings?.of(job, job.resends > 0);
      running = mapping
        ? this.mapped(loaded, job, run, mapping, proven)
        : Promise.resolve(this.fire(loaded, job, firing(loaded, job, job.inputs, run)));
    } catch (error) {
      running = Promise.reject(error);
    }
    running
      .then(
        (output) => {
          const seen = undoesOwn(job) ? (output as Seen) : answered(loaded, job, run, output);
          if (!(seen instanceof Promise)) return done(job, run, withAttachments(seen, run));
          return seen.then((judged) => done(job, run, withAttachments(judged, run)));
        },
        (error) => done(job, run, threw(error)),
      )
      .catch((cause) => this.broken(job, run, done, cause));
  }

  /** Runs the tool. For an undo it returns a finished result, because its response has no schema. */
  private fire(loaded: LoadedTool, job: Job, tool_job: ToolJob): Promise<unknown> {
    return undoesOwn(job) ? this.undo.run(loaded, job, tool_job) : loaded.runtime.run(tool_job);
  }

  /** Last resort: an error between a tool and its result ends this call and is logged. */
  private broken(job: Job, run: ToolRun, done: Done, thrown: unknown): void {
    const { call_id, call } = job;
    const fields = { event: 'tool_result_failed', call_id, tool: call.tool, cause: call.sealed ? 'personal' : messageOf(thrown) };
    this.around.logger.error(fields, 'the result of a tool could not be processed');
    done(job, run, { kind: 'lost', error: callError('UNKNOWN', 'the result of the tool could not be processed') });
  }

  /** Runs with the mapped inputs and maps the result back. If the lease was lost meanwhile, nothing runs. */
  private async mapped(
    loaded: LoadedTool,
    job: Job,
    run: ToolRun,
    found: CallMapping | Promise<CallMapping>,
    proven: Proven,
  ): Promise<unknown> {
    const mapping = found instanceof Promise ? await found : found;
    job.mapping = mapping;
    if (!(await mayFire(run, proven))) throw new ToolError('CANCELLED', 'the call was stopped before it ran', { effect: 'none' });
    const answer = await this.fire(loaded, job, firing(loaded, job, mapping.inputs(), run));
    return answer instanceof UnsentAnswer || undoesOwn(job) ? answer : mapping.result(answer);
  }

  /** A cached result of an equal call. A source without a version is read each time. */
  private async remembered(loaded: LoadedTool, job: Job, run: ToolRun): Promise<Seen | undefined> {
    try {
      const source_version = (await this.sourceVersion(loaded, job, run)) ?? '';
      const mapped = job.call.mapped?.mapping_version;
      job.memo_key = this.memo.keyOf(loaded, job, mapped === undefined ? source_version : `${source_version}\nmapping ${mapped}`);
      return await this.memo.find(job.tenant_id, job.memo_key);
    } catch (cause) {
      const fields = { event: 'result_cache_unavailable', call_id: job.call_id, tool: job.call.tool, cause: messageOf(cause) };
      this.around.logger.warn(fields, 'the result cache could not be read');
      return undefined;
    }
  }

  private async sourceVersion(loaded: LoadedTool, job: Job, run: ToolRun): Promise<string | undefined> {
    return loaded.asks.has('sourceVersion') ? loaded.runtime.sourceVersion?.(loaded.job(inputsToRun(job), run)) : undefined;
  }

  /** The steps after a response; undefined: none. Never rejects. */
  finish(job: Job, seen: Seen): Promise<Seen> | undefined {
    const loaded = this.find(job);
    if (!loaded || !(loaded.verifies || 'full_json' in seen)) return undefined;
    const finished = this.finishing.of(job, loaded, seen);
    const { credentials } = job;
    return credentials ? finished?.then((one) => maskedResult(one, credentials, loaded.contract.max_output_bytes)) : finished;
  }

  /** Whether the tool finds the effect of an earlier call with these inputs and this `output`. Never rejects. */
  async seesEffect(job: Job, output: unknown): Promise<EffectLook> {
    const loaded = this.find(job);
    if (!loaded?.verifies) return { seen: 'cannot_tell' };
    const fault = loaded.contract.auth_requirements?.length ? await this.resolve(loaded, job) : undefined;
    if (fault) return { seen: 'cannot_tell' };
    const { seen, remark } = await this.finishing.seesEffect(job, loaded, output);
    const masked = remark === undefined ? undefined : (job.credentials?.masker.text(remark) ?? remark);
    if (job.credentials) this.around.credentials.release(job.credentials);
    job.handle = undefined;
    return { seen, remark: masked };
  }

  /** Adds the declared members of the contract, such as cost and provider, to the result. Caches reusable results. */
  complete(job: Job, outcome: Outcome): void {
    const loaded = this.find(job);
    if (loaded) flagError(loaded, outcome);
    if (loaded?.declared) outcome.extras = loaded.declared(job, outcome);
    if (loaded && outcome.duration_ms > loaded.late_after_ms) outcome.extras = extrasOf({ ...outcome.extras, late: true });
    if (job.mapping) tellMapping(job.mapping, outcome);
    if (job.memo_key === undefined || loaded === undefined || outcome.status !== 'succeeded' || outcome.extras?.cached) return;
    this.memo.keep(loaded, job, outcome);
  }

  /** Queries the system of record for the outcome of a write. Never throws, and is bounded by a timeout. */
  async reconcile(job: Job, now_ms: number): Promise<ReconcileAnswer> {
    const loaded = this.find(job);
    const undoes = undoesOwn(job);
    if (!loaded?.asks.has(undoes ? 'verify' : 'reconcile')) return { kind: 'cannot_tell', why: 'the tool has no reconcile' };
    const fault = loaded.contract.auth_requirements?.length ? await this.resolve(loaded, job) : undefined;
    if (fault) return { kind: 'failed', error: fault };
    const answer = undoes ? await this.undo.ask(loaded, job) : await this.reconcileOnce(loaded, job, now_ms);
    if (!job.credentials) return answer;
    this.around.credentials.release(job.credentials);
    return maskedAnswer(answer, job.credentials);
  }

  private async reconcileOnce(loaded: LoadedTool, job: Job, now_ms: number): Promise<ReconcileAnswer> {
    const run = new ToolRun(job, loaded, now_ms + RECONCILE_TIMEOUT_MS, this.around);
    let timer: NodeJS.Timeout | undefined;
    // A tool may ignore its signal.
    const late = new Promise<ReconcileAnswer>((resolve) => {
      timer = setTimeout(() => {
        run.abort('timeout');
        resolve({ kind: 'failed', error: callError('TIMEOUT', 'the reconcile timed out') });
      }, RECONCILE_TIMEOUT_MS);
    });
    try {
      return await Promise.race([this.answerOf(loaded, job, run), late]);
    } catch (thrown) {
      return { kind: 'failed', error: errorOf(thrown).error };
    } finally {
      clearTimeout(timer);
    }
  }

  private async answerOf(loaded: LoadedTool, job: Job, run: ToolRun): Promise<ReconcileAnswer> {
    const found = this.mappings?.of(job, true);
    const mapping = found instanceof Promise ? await found : found;
    job.mapping = mapping;
    const inputs = mapping ? mapping.inputs() : (JSON.parse(job.inputs_json) as unknown);
    const answer = await loaded.runtime.reconcile?.(loaded.job(inputs, run));
    return reconcileAnswer(loaded, mapping, answer);
  }
}
