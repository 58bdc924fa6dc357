import { attemptKey } from '@countersign/contracts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ContractTestOptions } from './eval-pack.js';
import { jsonBytesAtLeast } from './json-size.js';
import { testContext } from './test-context.js';
import type { Compensates, Reconciled, RunContext, Tool, Verified } from './tool.js';

/** A compensation has its own key: a tool that uses `ctx.idempotency_key` instead of the key of the effect finds nothing. */
const undoKey = (key: string): string => attemptKey(key, 1_000_000);

export type Outcome = { kind: 'output'; output: unknown } | { kind: 'error'; error: unknown };

/** Overrides of the options for one run of the probe. */
export interface ProbeRun {
  key?: string;
  context?: Partial<RunContext>;
}

/** Runs one tool with fresh contexts, and checks its inputs and outputs against its contract. */
export class ToolProbe {
  private compiled: { input: ValidateFunction; output: ValidateFunction } | undefined;

  constructor(
    readonly tool: Tool,
    readonly options: ContractTestOptions,
  ) {}

  validators() {
    if (!this.compiled) {
      const ofInputs = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
      const ofOutputs = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, ownProperties: true });
      const { input_schema, output_schema } = this.tool.contract;
      this.compiled = { input: ofInputs.compile(input_schema), output: ofOutputs.compile(output_schema) };
    }
    return this.compiled;
  }

  faultsOfInput(input: unknown): unknown[] {
    return this.validators().input(input) ? [] : (this.validators().input.errors ?? []);
  }

  /** Validates an output like the executor, except for formats: the value itself, not its JSON round trip. */
  faultsOfOutput(output: unknown): unknown[] {
    const { output: validate } = this.validators();
    try {
      jsonBytesAtLeast(output, Number.POSITIVE_INFINITY);
      return validate(output) ? [] : (validate.errors ?? []);
    } catch (cause) {
      return [{ message: cause instanceof Error ? cause.message : 'it cannot be read' }];
    }
  }

  /** Names of the predicates that fail or throw. */
  brokenPredicates(input: unknown, output: unknown): string[] {
    const holds = (each: NonNullable<Tool['sanity']>[number]) => {
      try {
        return each.holds(input as never, output as never);
      } catch {
        return false;
      }
    };
    return (this.tool.sanity ?? []).filter((each) => !holds(each)).map(({ name }) => name);
  }

  async snapshot(): Promise<unknown> {
    const { counterpart } = this.options;
    if (!counterpart?.snapshot)
      throw new Error(`the eval pack of ${this.tool.contract.name} needs a counterpart with a snapshot() for this`);
    return counterpart.snapshot();
  }

  /** Recreates the counterpart for this check, without the effects of earlier runs. */
  async newWorld(): Promise<void> {
    await this.options.counterpart?.clean?.();
    await this.options.counterpart?.prepare?.();
  }

  /** A value as JSON without the parts that the options mark as volatile. */
  comparable(value: unknown): unknown {
    const errorless = JSON.stringify(value, (_name, item) => (item instanceof Error ? { ...item, message: item.message } : item));
    return (this.options.volatile ?? []).reduce((text, pattern) => text.replaceAll(pattern, '*'), errorless);
  }

  async run(input: Record<string, unknown>, how: ProbeRun = {}): Promise<unknown> {
    return this.tool.run(input as never, this.context(how));
  }

  async attempt(input: Record<string, unknown>, how: ProbeRun = {}): Promise<Outcome> {
    try {
      return { kind: 'output', output: await this.run(input, how) };
    } catch (error) {
      return { kind: 'error', error };
    }
  }

  async reconcile(input: Record<string, unknown>, key: string): Promise<Reconciled<unknown>> {
    if (!this.tool.reconcile) throw new Error('the contract declares has_reconcile, but the tool has no reconcile');
    return this.tool.reconcile(input as never, this.context({ key }));
  }

  async compensate(input: Record<string, unknown>, output: unknown, key: string): Promise<unknown> {
    if (!this.tool.compensate) throw new Error('the contract declares has_compensate, but the tool has no compensate');
    return this.tool.compensate(this.effectOf(input, output, key), this.context({ key: undoKey(key) }));
  }

  /** The input of `compensate` for this run. */
  effectOf(input: Record<string, unknown>, output: unknown, key: string): Compensates<never, never> {
    const { version } = this.tool.contract;
    return { call_id: 'call-1', idempotency_key: key, inputs: input as never, output: output as never, version };
  }

  async verify(input: Record<string, unknown>, output: unknown, key: string): Promise<Verified> {
    if (!this.tool.verify) throw new Error('the contract declares has_verify, but the tool has no verify');
    return this.tool.verify(input as never, output as never, this.context({ key }));
  }

  /** A fresh context: settings of the counterpart, overridden by the options, overridden by this run. */
  context({ key, context }: ProbeRun): RunContext {
    return testContext({
      settings: this.options.counterpart?.settings?.() ?? {},
      ...this.options.context,
      ...(key === undefined ? {} : { idempotency_key: key }),
      ...context,
    });
  }
}
