import { type ToolContract, valueAt } from '@countersign/contracts';
import type { InputSource, OperationOutput, ReconcileBinding, ToolBinding } from '@countersign/openapi';
import type { OutboundDoor } from '@countersign/outbound';
import { type Compensates, isToolError, type Reconciled } from '@countersign/tool-kit';
import { declaredAsks, type Runtime, type RuntimePack, type ToolJob, toolId } from '../runtime.js';
import { OperationCalls } from './operation-calls.js';

/** Whether a candidate is the effect of a write, judged by the operator's expression. Never throws. */
export type EffectMatch = (on: { inputs: unknown; attempt_key: string; output: unknown }) => boolean | { error: string };

export interface OpenApiRuntimeOptions {
  readonly door: OutboundDoor;
  /** Absent: the tool has no reconcile. */
  readonly matches?: EffectMatch | undefined;
}

/** What headers and the object around a body add to it. */
const AROUND_BODY_BYTES = 64 * 1024;

/** Runs one version of a tool that an OpenAPI document describes: one request for a run, further ones only for pages of a read. */
export class OpenApiRuntime implements Runtime {
  private readonly calls: OperationCalls;

  constructor(
    private readonly contract: ToolContract,
    private readonly binding: ToolBinding,
    private readonly options: OpenApiRuntimeOptions,
  ) {
    this.calls = new OperationCalls(options.door, contract.max_output_bytes + AROUND_BODY_BYTES);
  }

  async load(): Promise<RuntimePack> {
    const { contract } = this;
    return { name: toolId(contract), tools: [{ contract, asks: declaredAsks(contract) }] };
  }

  run({ input, context }: ToolJob): Promise<OperationOutput> {
    const inputs = input as Record<string, unknown>;
    if (this.binding.pages) return this.calls.pages(this.binding, inputs, context);
    return this.calls.call(this.binding, inputs, context, context.idempotency_key);
  }

  async compensate({ context }: ToolJob, { inputs, output, idempotency_key }: Compensates): Promise<unknown> {
    const { compensate } = this.binding;
    if (!compensate) throw new Error('the tool has no compensation');
    const mapped = mappedInputs(compensate.inputs, { inputs, output, attempt_key: idempotency_key });
    return this.calls.call(compensate.by, mapped, context, context.idempotency_key);
  }

  /** A read that fails, and a list of which not all was read, show nothing. */
  async reconcile({ input, context }: ToolJob): Promise<Reconciled<OperationOutput>> {
    const { reconcile } = this.binding;
    if (!reconcile) return { kind: 'cannot_tell', why: 'the tool has no reconcile' };
    const attempt_key = context.idempotency_key;
    let output: OperationOutput;
    try {
      output = await this.calls.pages(reconcile.read, mappedInputs(reconcile.inputs, { inputs: input, attempt_key }), context);
    } catch (cause) {
      if (!isToolError(cause)) throw cause;
      return { kind: 'cannot_tell', why: `${reconcile.read.operation} failed: ${cause.message}` };
    }
    return this.judged(reconcile, input, attempt_key, output);
  }

  async close(): Promise<void> {}

  private judged(
    { items, is_complete, read }: ReconcileBinding,
    inputs: unknown,
    attempt_key: string,
    output: OperationOutput,
  ): Reconciled<OperationOutput> {
    const list = items === undefined ? [output] : valueAt(output, items);
    if (!Array.isArray(list)) return { kind: 'cannot_tell', why: `the output of ${read.operation} has no list at ${items}` };
    const outcomes = list.map((candidate) => ({ candidate, outcome: this.options.matches?.({ inputs, attempt_key, output: candidate }) }));
    const matching = outcomes.filter(({ outcome }) => outcome === true);
    const failed = outcomes.map(({ outcome }) => outcome).find((outcome) => typeof outcome !== 'boolean');
    if (matching.length > 1) return { kind: 'cannot_tell', why: `${matching.length} results of ${read.operation} match` };
    const [found] = matching;
    if (found) return { kind: 'happened', output: items === undefined ? output : { status: output.status, body: found.candidate } };
    if (failed !== undefined) return { kind: 'cannot_tell', why: `the match failed: ${failed.error}` };
    if (output.next_page) return { kind: 'cannot_tell', why: `no result matches on the pages of ${read.operation} that were read` };
    return is_complete ? { kind: 'did_not_happen' } : { kind: 'cannot_tell', why: `no result of ${read.operation} matches` };
  }
}

/** Values for inputs of another operation; a pointer to nothing gives no input. */
function mappedInputs(
  sources: Readonly<Record<string, InputSource>>,
  from: { inputs: unknown; output?: unknown; attempt_key: string },
): Record<string, unknown> {
  const values = Object.entries(sources).map(([input, source]) => [input, 'from' in source ? valueAt(from, source.from) : source.literal]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}
