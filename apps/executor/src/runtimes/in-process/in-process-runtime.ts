import { isReadOnly, type Outcome } from '@countersign/contracts';
import type { ReconcileAnswer, Recovery, Refusal } from '@countersign/domain';
import type { Clock, Logger } from '@countersign/process';
import type { Reconciled } from '@countersign/tool-kit';
import type { Abortable, Issue, Job } from '../../running/job.js';
import { Finishing } from './finishing.js';
import type { LoadedTool } from './loaded-tool.js';
import { answered, errorOf, recorded, type Seen, threw } from './recorded-result.js';
import { ToolRun } from './tool-run.js';

/** Why a call can't run here at all. */
export interface Unrunnable {
  why: Extract<Refusal, 'unknown_tool' | 'contract_changed' | 'bad_inputs'>;
  issues: Issue[];
}

const RECONCILE_TIMEOUT_MS = 10_000;

/** Runs tools in this process. What a tool throws or answers never gets past it: every run comes to a `RunResult`. */
export class InProcessRuntime {
  private readonly byName = new Map<string, Map<string, LoadedTool>>();
  private readonly finishing: Finishing;

  constructor(
    tools: ReadonlyMap<string, LoadedTool>,
    private readonly logger: Logger,
    clock: Clock,
  ) {
    this.finishing = new Finishing(clock, logger);
    for (const tool of tools.values()) {
      const { name, version } = tool.contract;
      this.byName.set(name, (this.byName.get(name) ?? new Map<string, LoadedTool>()).set(version, tool));
    }
  }

  find({ call }: Job): LoadedTool | undefined {
    return this.byName.get(call.tool)?.get(call.version);
  }

  recoveryOf(job: Job): Recovery | null {
    return this.find(job)?.recovery ?? null;
  }

  /** Whether the call may run with the contract that it was ruled on and the inputs that it has. */
  unrunnable(job: Job): Unrunnable | null {
    const tool = this.find(job);
    if (!tool) return { why: 'unknown_tool', issues: [] };
    if (tool.digest !== job.call.contract_digest || isReadOnly(tool.contract.effect_class) === job.write)
      return { why: 'contract_changed', issues: [] };
    job.inputs = JSON.parse(job.call.inputs_json);
    const issues = tool.inputIssues(job.inputs);
    return issues.length > 0 ? { why: 'bad_inputs', issues } : null;
  }

  /** Starts the run; `done` is called once, also where the tool never looks at its signal and answers late. */
  run(job: Job, ends_ms: number, done: (job: Job, run: Abortable, result: Seen) => void): void {
    const loaded = this.find(job) as LoadedTool;
    const run = new ToolRun(job, loaded.settings, ends_ms, this.logger);
    job.handle = run;
    // A tool may have changed what it was given the time before.
    if (job.inputs === undefined || job.resends > 0) job.inputs = JSON.parse(job.call.inputs_json);
    let running: Promise<unknown>;
    try {
      running = Promise.resolve(loaded.tool.run(job.inputs as never, run));
    } catch (error) {
      running = Promise.reject(error);
    }
    running.then(
      (output) => done(job, run, answered(loaded, job, output)),
      (error) => done(job, run, threw(error)),
    );
  }

  /** What follows on a run that has answered; undefined: nothing. Never rejects. */
  finish(job: Job, seen: Seen): Promise<Seen> | undefined {
    const loaded = this.find(job);
    return loaded?.verifies ? this.finishing.of(job, loaded, seen) : undefined;
  }

  /** Adds what the contract says of every result: what it costs, where it comes from. */
  complete(job: Job, outcome: Outcome): void {
    const declared = this.find(job)?.declared;
    if (declared) outcome.extras = declared(job, outcome);
  }

  /** Asks the system of record what became of a write. Never throws. */
  async reconcile(job: Job, now_ms: number): Promise<ReconcileAnswer> {
    const loaded = this.find(job);
    if (!loaded?.tool.reconcile) return { kind: 'cannot_tell', why: 'the tool cannot be asked' };
    const run = new ToolRun(job, loaded.settings, now_ms + RECONCILE_TIMEOUT_MS, this.logger);
    const timer = setTimeout(() => run.abort('timeout'), RECONCILE_TIMEOUT_MS);
    try {
      const answer: Reconciled<unknown> = await loaded.tool.reconcile(JSON.parse(job.call.inputs_json) as never, run);
      if (answer.kind !== 'happened') return answer;
      const seen = recorded(loaded, answer.output);
      if (seen.kind === 'output')
        return { kind: 'happened', output_json: seen.output_json, truncated: seen.truncated, warnings: seen.warnings };
      const warnings = ['it happened; what its system says of it does not fit the schema and was left out'];
      return { kind: 'happened', output_json: 'null', truncated: false, warnings };
    } catch (thrown) {
      return { kind: 'failed', error: errorOf(thrown).error };
    } finally {
      clearTimeout(timer);
    }
  }
}
