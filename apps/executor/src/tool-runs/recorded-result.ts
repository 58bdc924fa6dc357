import { callError, extrasOf } from '@countersign/contracts';
import type { RunResult } from '@countersign/domain';
import { errorOf, jsonText, messageOf, OUTPUT_BYTES_HELD_MAX, smallPartsOf, type ToolJob, UnsentAnswer } from '@countersign/runtimes';
import type { RunContext } from '@countersign/tool-kit';
import { jsonBytesAtLeast, NotJson } from '@countersign/tool-kit/json-size';
import type { Issue, Job } from '../calls/job.js';
import { searched, withFlags } from './injection-flags.js';
import type { LoadedTool } from './loaded-tool.js';
import { type Doubts, doubtsOf } from './output-checks.js';
import { shorten } from './output-limit.js';

type Output = Extract<RunResult, { kind: 'output' }> & {
  /** The full output, if it was shortened. */
  full_json?: string;
  /** The response of the tool, if its effect is read back. */
  answer?: unknown;
};

type Wrong = Extract<RunResult, { kind: 'wrong_shape' }> & {
  answer?: unknown;
  /** Its record, if it fits the schema but was rejected for another reason. */
  as_output?: Output;
};

/** The result of a run, before the steps that follow. */
export type Seen = Output | Wrong | Exclude<RunResult, { kind: 'output' | 'wrong_shape' }>;

function wrong(layer: string, message: string, issues: readonly Issue[]): Wrong {
  return { kind: 'wrong_shape', error: callError('VALIDATION_ERROR', message, { details: { layer, issues } }) };
}

/**
 * Converts the response of a tool to a record: checks it against the schema and the predicates. A promise only if the runtime must call
 * the predicates elsewhere.
 */
export function answered(loaded: LoadedTool, job: Job, run: RunContext, output: unknown): Seen | Promise<Seen> {
  const tool_job = loaded.job(job.inputs, run);
  const seen = recorded(loaded, output);
  if (output instanceof UnsentAnswer) return withAnswer(loaded, seen, JSON.parse(output.small_json));
  if (seen.kind !== 'output') return withAnswer(loaded, seen, output);
  const unchanged = changedNothing(loaded, tool_job, output);
  const doubts = job.inputs === undefined ? undefined : doubtsOf(loaded, tool_job, output);
  if (!(unchanged instanceof Promise || doubts instanceof Promise)) return judged(loaded, seen, output, { unchanged, doubts });
  return Promise.all([unchanged, doubts]).then(([same, doubted]) => judged(loaded, seen, output, { unchanged: same, doubts: doubted }));
}

function judged(loaded: LoadedTool, seen: Output, output: unknown, judgement: { unchanged: boolean; doubts: Doubts | undefined }): Seen {
  const warned = flagged(loaded, seen, output);
  const whole: Output = judgement.unchanged ? { ...warned, unchanged: true } : warned;
  return withAnswer(loaded, judgement.doubts ? doubted(whole, judgement.doubts) : whole, output);
}

/** With the patterns of injection that were found in an output, also in what was cut from it. */
function flagged(loaded: LoadedTool, seen: Output, output: unknown): Output {
  const { warnings, flags } = searched(loaded, output);
  const warned = warnings.length > 0 ? { ...seen, warnings: [...seen.warnings, ...warnings] } : seen;
  return flags.length > 0 ? { ...warned, extras: withFlags(seen.extras, flags) } : warned;
}

/** True if the tool reports that it changed nothing; without an answer it counts as a change. */
function changedNothing({ runtime, asks }: LoadedTool, tool_job: ToolJob, output: unknown): boolean | Promise<boolean> {
  if (!asks.has('changedNothing')) return false;
  try {
    return runtime.changedNothing?.(tool_job, output) ?? false;
  } catch {
    return false;
  }
}

function withAnswer(loaded: LoadedTool, seen: Seen, answer: unknown): Seen {
  return loaded.verifies && (seen.kind === 'output' || seen.kind === 'wrong_shape') ? { ...seen, answer } : seen;
}

function doubted(seen: Output, { issues, blocks }: Doubts): Seen {
  const layer = 'sanity';
  if (blocks) return { ...wrong(layer, 'the result of the tool failed a sanity check', issues), as_output: seen };
  const warnings = [...seen.warnings, ...issues.map((issue) => `${layer}: ${issue.message}`)];
  return { ...seen, warnings, extras: extrasOf({ ...seen.extras, validation_json: JSON.stringify({ layer, issues }) }) };
}

/** The record of an output: valid by its schema, as JSON within its limit. Every output passes here before it is written. */
export function recorded(loaded: LoadedTool, output: unknown): Seen {
  if (output instanceof UnsentAnswer) return unsent(loaded, output);
  try {
    const bytes_max = loaded.contract.max_output_bytes;
    const held_max = Math.max(bytes_max, OUTPUT_BYTES_HELD_MAX);
    if (jsonBytesAtLeast(output, held_max) > held_max) return tooLarge(loaded, smallPartsOf(output), held_max);
    const issues = loaded.outputIssues(output);
    if (issues.length > 0) return wrong('output', 'the result of the tool does not match its output schema', issues);
    const output_json = jsonText(output);
    const fits = output_json.length <= bytes_max && Buffer.byteLength(output_json) <= bytes_max;
    return fits ? { kind: 'output', output_json, truncated: false, warnings: [] } : cut(output, output_json, bytes_max);
  } catch (cause) {
    return unreadable(cause instanceof NotJson ? 'not_json' : 'unreadable', messageOf(cause));
  }
}

function unreadable(why: 'not_json' | 'unreadable', message: string): Wrong {
  const what = why === 'not_json' ? 'the result of the tool is not JSON' : 'the result of the tool cannot be read';
  return wrong('output', `${what}: ${message}`, []);
}

/** A response that a child process inspected and did not send. */
function unsent(loaded: LoadedTool, { why, message, small_json }: UnsentAnswer): Seen {
  if (why !== 'too_large') return unreadable(why, message);
  return tooLarge(loaded, small_json, Math.max(loaded.contract.max_output_bytes, OUTPUT_BYTES_HELD_MAX));
}

function cut(output: unknown, full_json: string, bytes_max: number): Seen {
  const { output_json, cuts } = shorten(output, bytes_max);
  const warnings = cuts.map((where) => `shortened to ${bytes_max} bytes: ${where}`);
  return { kind: 'output', output_json: output_json ?? 'null', truncated: true, warnings, full_json };
}

/** Nothing of it is stored. A write has still happened. */
function tooLarge(loaded: LoadedTool, output_json: string, held_max: number): Seen {
  const message = `the output is larger than ${held_max} bytes`;
  if (!loaded.recovery.write)
    return { kind: 'wrong_shape', error: callError('VALIDATION_ERROR', message, { details: { layer: 'output', bytes_max: held_max } }) };
  const warnings = [`${message}; its large members were dropped`];
  return { kind: 'output', output_json, truncated: true, warnings };
}

/** The result of a run that threw. Never throws. */
export function threw(thrown: unknown): Seen {
  const { error, refused, effect } = errorOf(thrown);
  return refused ? { kind: 'refused', error, effect } : { kind: 'lost', error };
}
