import { isReadOnly, type ToolContract, type UpstreamReconcile, type UpstreamTie } from '@countersign/contracts';
import type { UpstreamTool } from '@countersign/domain';
import { compileReconcileMatch, type ReconcileMatch } from '@countersign/policy';
import { declaredAsks, type Runtime, type RuntimePack, type ToolJob, toolId } from '@countersign/runtimes';
import { type Compensates, type Reconciled, ToolError } from '@countersign/tool-kit';
import { jsonBytesAtLeast } from '@countersign/tool-kit/json-size';
import { boundInputs, type UpstreamCalls } from './upstream-calls.js';

/** The answer of a read that a match is evaluated on. */
const MATCHED_BYTES_MAX = 1024 * 1024;

const cannotTell = (why: string): Reconciled<unknown> => ({ kind: 'cannot_tell', why });

/** The inputs that identify the effect of a write. */
export function discriminatingOf({ idempotency, input_schema }: Pick<ToolContract, 'idempotency' | 'input_schema'>): string[] {
  const except = new Set(idempotency.except ?? []);
  return idempotency.discriminating ?? Object.keys((input_schema.properties ?? {}) as object).filter((name) => !except.has(name));
}

/** Runs one version of a tool at the MCP server of its tenant, and finds or undoes its effect by other tools of that server. */
export class UpstreamRuntime implements Runtime {
  private readonly tie: UpstreamTie;

  constructor(
    private readonly contract: ToolContract,
    private readonly calls: UpstreamCalls,
  ) {
    this.tie = contract.upstream as UpstreamTie;
  }

  async load(): Promise<RuntimePack> {
    const { contract } = this;
    return { name: toolId(contract), tools: [{ contract, asks: declaredAsks(contract) }] };
  }

  async run({ input, context }: ToolJob): Promise<unknown> {
    const { tool, key_input } = this.tie;
    const inputs = key_input === undefined ? input : { ...(input as object), [key_input]: context.idempotency_key };
    return this.calls.call(this.contract, tool, inputs, context);
  }

  /** Asks the read tool that the operator named. What does not match may have happened, unless the operator vouches for the read. */
  async reconcile({ input, context }: ToolJob): Promise<Reconciled<unknown>> {
    const declared = this.tie.reconcile;
    if (!declared) return cannotTell('the operator declared no reconcile');
    const read = this.calls.standing(context.tenant_id, this.tie.server, declared.tool);
    if (!read?.is_classified || !isReadOnly(read.overlay.effect_class)) return cannotTell(`the read tool ${declared.tool} does not stand`);
    const match = this.matchOf(declared, read);
    if (typeof match === 'string') return cannotTell(match);
    const attempt_key = context.idempotency_key;
    const output = await this.calls.call(
      this.contract,
      declared.tool,
      boundInputs(declared.inputs, { inputs: input, attempt_key }),
      context,
    );
    return this.judged(declared, match, { inputs: input, attempt_key, output });
  }

  async compensate({ context }: ToolJob, { inputs, output }: Compensates): Promise<unknown> {
    const declared = this.tie.compensation;
    const undo = declared && this.calls.standing(context.tenant_id, this.tie.server, declared.tool);
    if (!declared || !undo)
      throw new ToolError('PROVIDER_ERROR', 'the tool that undoes the effect does not stand', { effect: 'none', retryable: false });
    const attempt_key = context.idempotency_key;
    return this.calls.call(this.contract, declared.tool, boundInputs(declared.inputs, { inputs, output, attempt_key }), context);
  }

  async close(): Promise<void> {}

  /** The compiled match, or why there is none. */
  private matchOf({ matches }: UpstreamReconcile, read: UpstreamTool): ReconcileMatch | string {
    const { input_schema: inputs_schema } = this.contract;
    const output_schema = read.pinned?.definition.output_schema ?? {};
    const discriminating = discriminatingOf(this.contract);
    const compiled = compileReconcileMatch(matches, {
      inputs_schema,
      output_schema,
      discriminating,
      carries_key: this.tie.key_input !== undefined,
    });
    return 'match' in compiled ? compiled.match : `the match cannot be used: ${compiled.fault.reason}`;
  }

  private judged(
    { is_complete, tool }: UpstreamReconcile,
    match: ReconcileMatch,
    on: { inputs: unknown; attempt_key: string; output: unknown },
  ): Reconciled<unknown> {
    const inputs_chars = jsonBytesAtLeast(on.output, MATCHED_BYTES_MAX);
    if (inputs_chars > MATCHED_BYTES_MAX) return cannotTell(`the answer of ${tool} is larger than ${MATCHED_BYTES_MAX} bytes`);
    const outcome = match.judge({ ...on, inputs_chars });
    if (outcome === true)
      return { kind: 'happened', output: { content: [{ type: 'text', text: `${tool} shows the effect` }], structured: null } };
    if (outcome !== false) return cannotTell(`the answer of ${tool} could not be matched: ${outcome.error}`);
    const is_final = is_complete && this.contract.settle_is_final;
    return is_final ? { kind: 'did_not_happen' } : cannotTell(`${tool} does not show the effect, and need not show every effect`);
  }
}
