import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type fc from 'fast-check';
import { testContext } from './test-context.js';
import type { Reconciled, RunContext, Tool } from './tool.js';

/** One input that the tool must answer with an output of its schema. */
export interface Golden {
  title: string;
  input: Record<string, unknown>;
  /** A look at the output, with expectations of its own. */
  expects?(output: unknown): void | Promise<void>;
}

/** What the kit needs to know of a tool's world. `prepare` runs before each test and makes it anew. */
export interface ContractTestOptions {
  golden: readonly [Golden, ...Golden[]];
  prepare?(): Promise<void>;
  clean?(): Promise<void>;
  settings?(): Record<string, string>;
  context?: Partial<RunContext>;
  /** Everything that the tool could change, as a comparable value. Required for a read-only tool and for a compensation. */
  snapshot?(): Promise<unknown>;
  /** Generated inputs to try; default 50. */
  generated_runs?: number;
  /** Narrows what is generated, to inputs that reach the tool's inside. */
  generated?(arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown>;
  /** An input whose run would outlive an abort if the tool did not listen to its signal. */
  slow?: Record<string, unknown>;
  /** An input whose honest answer would be larger than `max_output_bytes`; the tool must cut or refuse it. */
  large?: Record<string, unknown>;
}

export type Outcome = { kind: 'output'; output: unknown } | { kind: 'error'; error: unknown };

/** Runs one tool with fresh contexts, and checks what goes in and out against its contract. */
export class ToolProbe {
  private compiled: { input: ValidateFunction; output: ValidateFunction } | undefined;

  constructor(
    readonly tool: Tool,
    readonly options: ContractTestOptions,
  ) {}

  validators() {
    if (!this.compiled) {
      const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
      const { input_schema, output_schema } = this.tool.contract;
      this.compiled = { input: ajv.compile(input_schema), output: ajv.compile(output_schema) };
    }
    return this.compiled;
  }

  faultsOfInput(input: unknown): unknown[] {
    return this.validators().input(input) ? [] : (this.validators().input.errors ?? []);
  }

  /** An output is judged as the log keeps it: as JSON. */
  faultsOfOutput(output: unknown): unknown[] {
    const json = JSON.parse(JSON.stringify(output)) as unknown;
    return this.validators().output(json) ? [] : (this.validators().output.errors ?? []);
  }

  async snapshot(): Promise<unknown> {
    if (!this.options.snapshot) throw new Error(`contractTests(${this.tool.contract.name}) needs a snapshot() for this test`);
    return this.options.snapshot();
  }

  run(input: Record<string, unknown>, key?: string, signal?: AbortSignal): Promise<unknown> {
    return this.tool.run(input as never, this.context(key, signal));
  }

  async attempt(input: Record<string, unknown>, key?: string, signal?: AbortSignal): Promise<Outcome> {
    try {
      return { kind: 'output', output: await this.run(input, key, signal) };
    } catch (error) {
      return { kind: 'error', error };
    }
  }

  async reconcile(input: Record<string, unknown>, key: string): Promise<Reconciled<unknown>> {
    if (!this.tool.reconcile) throw new Error('the contract says has_reconcile, and there is none');
    return this.tool.reconcile(input as never, this.context(key));
  }

  async compensate(input: Record<string, unknown>, output: unknown, key: string): Promise<unknown> {
    if (!this.tool.compensate) throw new Error('the contract says has_compensate, and there is none');
    return this.tool.compensate(input as never, output as never, this.context(key));
  }

  private context(key: string | undefined, signal?: AbortSignal): RunContext {
    return testContext({
      settings: this.options.settings?.() ?? {},
      ...(key === undefined ? {} : { idempotency_key: key }),
      ...(signal === undefined ? {} : { signal }),
      ...this.options.context,
    });
  }
}
