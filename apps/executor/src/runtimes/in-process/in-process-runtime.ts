import { type CallError, callError, isReadOnly } from '@countersign/contracts';
import type { ReconcileAnswer, Recovery, Refusal, RunResult } from '@countersign/domain';
import type { Logger } from '@countersign/process';
import { isToolError, type Reconciled, type ToolError } from '@countersign/tool-kit';
import type { Abortable, Issue, Job } from '../../running/job.js';
import type { LoadedTool } from './loaded-tool.js';
import { limitOutput } from './output-limit.js';
import { ToolRun } from './tool-run.js';

/** Why a call can't run here at all. */
export interface Unrunnable {
  why: Extract<Refusal, 'unknown_tool' | 'contract_changed' | 'bad_inputs'>;
  issues: Issue[];
}

const RECONCILE_TIMEOUT_MS = 10_000;

function wrongShape(layer: 'output', issues: Issue[]): RunResult {
  return {
    kind: 'wrong_shape',
    error: callError('VALIDATION_ERROR', 'the tool answered what its contract does not allow', { details: { layer, issues } }),
  };
}

function errorOf(error: unknown): { error: CallError; refused: boolean; effect: 'none' | 'unknown' } {
  if (isToolError(error)) {
    const { code, message, more } = error as ToolError;
    return { error: callError(code, message, more), refused: true, effect: more.effect ?? 'unknown' };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { error: callError('UNKNOWN', message.slice(0, 2000)), refused: false, effect: 'unknown' };
}

/** Runs tools in this process. What a tool throws or answers never gets past it: every run comes to a `RunResult`. */
export class InProcessRuntime {
  private readonly byName = new Map<string, Map<string, LoadedTool>>();

  constructor(
    tools: ReadonlyMap<string, LoadedTool>,
    private readonly logger: Logger,
  ) {
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
  run(job: Job, now_ms: number, done: (job: Job, run: Abortable, result: RunResult) => void): void {
    const loaded = this.find(job) as LoadedTool;
    const until_ms = now_ms + loaded.contract.timeout_ms;
    const run = new ToolRun(
      job,
      loaded.settings,
      job.call.deadline_ms === null ? until_ms : Math.min(until_ms, job.call.deadline_ms),
      this.logger,
    );
    job.handle = run;
    let running: Promise<unknown>;
    try {
      running = loaded.tool.run((job.inputs ?? JSON.parse(job.call.inputs_json)) as never, run);
    } catch (error) {
      running = Promise.reject(error);
    }
    Promise.resolve(running).then(
      (output) => done(job, run, this.answered(loaded, output)),
      (error) => done(job, run, this.threw(error)),
    );
  }

  private answered(loaded: LoadedTool, output: unknown): RunResult {
    const issues = loaded.outputIssues(output);
    if (issues.length > 0) return wrongShape('output', issues);
    const { output_json, truncated } = limitOutput(output, loaded.contract.max_output_bytes);
    if (output_json !== null) return { kind: 'output', output_json, truncated, warnings: [] };
    const limit = `the output is larger than ${loaded.contract.max_output_bytes} bytes`;
    if (loaded.recovery.write) return { kind: 'output', output_json: 'null', truncated: true, warnings: [`${limit} and was left out`] };
    return {
      kind: 'wrong_shape',
      error: callError('VALIDATION_ERROR', limit, { details: { layer: 'output', bytes_max: loaded.contract.max_output_bytes } }),
    };
  }

  private threw(thrown: unknown): RunResult {
    const { error, refused, effect } = errorOf(thrown);
    return refused ? { kind: 'refused', error, effect } : { kind: 'lost', error };
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
      return { kind: 'happened', output_json: limitOutput(answer.output, loaded.contract.max_output_bytes).output_json ?? 'null' };
    } catch (thrown) {
      return { kind: 'failed', error: errorOf(thrown).error };
    } finally {
      clearTimeout(timer);
    }
  }
}
