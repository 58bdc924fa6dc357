import { callError } from '@countersign/contracts';
import type { RunResult } from '@countersign/domain';
import { errorOf, jsonText, messageOf, type ToolJob } from '@countersign/runtimes';
import type { RunContext } from '@countersign/tool-kit';
import { jsonBytesAtLeast, NotJson } from '@countersign/tool-kit/json-size';
import type { Issue, Job } from '../running/job.js';
import { extrasOf } from '../running/outcomes.js';
import type { LoadedTool } from './loaded-tool.js';
import { type Doubts, doubtsOf } from './output-checks.js';
import { shorten } from './output-limit.js';

/** An output larger than this is not looked at any further: its text would take too much memory. */
const OUTPUT_BYTES_HELD_MAX = 32 * 1024 * 1024;

type Output = Extract<RunResult, { kind: 'output' }> & {
  /** All of an output that was shortened. */
  full_json?: string;
  /** What the tool answered, where its effect is read back. */
  answer?: unknown;
};

type Wrong = Extract<RunResult, { kind: 'wrong_shape' }> & {
  answer?: unknown;
  /** Its record, where it fits the schema and was doubted for another reason. */
  as_output?: Output;
};

/** What a run came to, before what follows on it. */
export type Seen = Output | Wrong | Exclude<RunResult, { kind: 'output' | 'wrong_shape' }>;

function wrong(layer: string, message: string, issues: readonly Issue[]): Wrong {
  return { kind: 'wrong_shape', error: callError('VALIDATION_ERROR', message, { details: { layer, issues } }) };
}

/** The record of what a tool answered a call: its output checked by schema and by the layers that its tool has. */
export function answered(loaded: LoadedTool, job: Job, run: RunContext, output: unknown): Seen {
  const asked = loaded.job(job.inputs, run);
  const seen = withChange(loaded, asked, recorded(loaded, output), output);
  if (loaded.layers.length > 0 && seen.kind === 'output' && job.inputs !== undefined) {
    const doubts = doubtsOf(loaded.layers, loaded, { job: asked, call: job.call }, output);
    if (doubts) return withAnswer(loaded, doubted(seen, doubts), output);
  }
  return withAnswer(loaded, seen, output);
}

/** A tool that cannot tell has changed something. */
function withChange({ runtime, asks }: LoadedTool, asked: ToolJob, seen: Seen, output: unknown): Seen {
  if (seen.kind !== 'output' || !asks.has('changedNothing')) return seen;
  try {
    return runtime.changedNothing?.(asked, output) === true ? { ...seen, unchanged: true } : seen;
  } catch {
    return seen;
  }
}

function withAnswer(loaded: LoadedTool, seen: Seen, answer: unknown): Seen {
  return loaded.verifies && (seen.kind === 'output' || seen.kind === 'wrong_shape') ? { ...seen, answer } : seen;
}

function doubted(seen: Output, { layer, issues, blocks }: Doubts): Seen {
  if (blocks) return { ...wrong(layer, 'the tool answered what cannot be right', issues), as_output: seen };
  const warnings = [...seen.warnings, ...issues.map((issue) => `${layer}: ${issue.message}`)];
  return { ...seen, warnings, extras: extrasOf({ ...seen.extras, validation_json: JSON.stringify({ layer, issues }) }) };
}

/** The record of an output: of its schema, JSON, within its limit. Everything that is written of an output passes here. */
export function recorded(loaded: LoadedTool, output: unknown): Seen {
  try {
    const bytes_max = loaded.contract.max_output_bytes;
    const held_max = Math.max(bytes_max, OUTPUT_BYTES_HELD_MAX);
    if (jsonBytesAtLeast(output, held_max) > held_max) return tooLarge(loaded, output, held_max);
    const issues = loaded.outputIssues(output);
    if (issues.length > 0) return wrong('output', 'the tool answered what its contract does not allow', issues);
    const output_json = jsonText(output);
    const fits = output_json.length <= bytes_max && Buffer.byteLength(output_json) <= bytes_max;
    return fits ? { kind: 'output', output_json, truncated: false, warnings: [] } : cut(output, output_json, bytes_max);
  } catch (cause) {
    if (cause instanceof NotJson) return wrong('output', `the tool answered what is not JSON: ${cause.message}`, []);
    return wrong('output', `the answer of the tool cannot be read: ${messageOf(cause)}`, []);
  }
}

function cut(output: unknown, full_json: string, bytes_max: number): Seen {
  const { output_json, cuts } = shorten(output, bytes_max);
  const warnings = cuts.map((where) => `shortened to ${bytes_max} bytes: ${where}`);
  return { kind: 'output', output_json: output_json ?? 'null', truncated: true, warnings, full_json };
}

/** Nothing of it is kept. A write has happened all the same. */
function tooLarge(loaded: LoadedTool, output: unknown, held_max: number): Seen {
  const message = `the output is larger than ${held_max} bytes`;
  if (!loaded.recovery.write)
    return { kind: 'wrong_shape', error: callError('VALIDATION_ERROR', message, { details: { layer: 'output', bytes_max: held_max } }) };
  const skeleton = topOf(output);
  const warnings = [`${message}: nothing of its large parts was kept`];
  return { kind: 'output', output_json: skeleton, truncated: true, warnings };
}

/** The small scalars at the top of an output that is too large to be read. */
function topOf(output: unknown): string {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return 'null';
  const small = Object.entries(output).filter(([, member]) =>
    typeof member === 'string' ? member.length <= 1000 : typeof member === 'number' || typeof member === 'boolean',
  );
  return JSON.stringify(Object.fromEntries(small.slice(0, 100)));
}

/** What a run came to that threw. Never throws. */
export function threw(thrown: unknown): Seen {
  const { error, refused, effect } = errorOf(thrown);
  return refused ? { kind: 'refused', error, effect } : { kind: 'lost', error };
}
