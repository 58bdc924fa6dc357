import { setTimeout } from 'node:timers/promises';
import { isReadOnly } from '@countersign/contracts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { arbitraryInput } from './arbitrary-input.js';
import { contractFaults } from './contract-faults.js';
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

const ABORT_GRACE_MS = 1_000;

/** What every tool must keep to, as a jest suite: the contract, its schemas, its effect class, key, limits and undo. */
export function contractTests(tool: Tool, options: ContractTestOptions): void {
  describe(`contract of ${tool.contract.name}`, () => {
    const probe = new Probe(tool, options);
    beforeEach(async () => {
      await options.prepare?.();
    });
    afterEach(async () => {
      await options.clean?.();
    });
    contractSuite(probe);
    effectSuite(probe);
    limitSuite(probe);
  });
}

function contractSuite(probe: Probe): void {
  const { tool, options } = probe;
  test('the contract has no faults, and its schemas compile', () => {
    expect(contractFaults(tool.contract, tool.contract as never)).toEqual([]);
    expect(() => probe.validators()).not.toThrow();
  });
  test.each(options.golden.map((golden) => [golden.title, golden] as const))('golden: %s', async (_title, golden) => {
    expect(probe.faultsOfInput(golden.input)).toEqual([]);
    const output = await probe.run(golden.input);
    expect(probe.faultsOfOutput(output)).toEqual([]);
    await golden.expects?.(output);
  });
  test('an unknown field is not in the schema', () => {
    const stray = { ...options.golden[0].input, no_such_field: 1 };
    expect(probe.faultsOfInput(stray)).not.toEqual([]);
  });
  test('every generated input gives an output of the schema or a ToolError, nothing else', async () => {
    const inputs = arbitraryInput(tool.contract.input_schema);
    const property = fc.asyncProperty((options.generated?.(inputs) ?? inputs) as fc.Arbitrary<Record<string, unknown>>, async (input) => {
      expect(probe.faultsOfInput(input)).toEqual([]);
      const outcome = await probe.attempt(input);
      if (outcome.kind === 'output') expect(probe.faultsOfOutput(outcome.output)).toEqual([]);
      else expect(outcome.error).toMatchObject({ countersign_tool_error: true });
    });
    await fc.assert(property, { numRuns: options.generated_runs ?? 50 });
  });
}

function effectSuite(probe: Probe): void {
  const { tool, options } = probe;
  const golden = options.golden[0];
  if (isReadOnly(tool.contract.effect_class)) {
    test('a read-only tool changes nothing', async () => {
      const before = await probe.snapshot();
      for (const { input } of options.golden) await probe.run(input);
      expect(await probe.snapshot()).toEqual(before);
    });
  }
  if (tool.contract.has_reconcile) {
    test('reconcile: what never ran is not said to have happened', async () => {
      const answer = await probe.reconcile(golden.input, testKey());
      expect(['did_not_happen', 'cannot_tell']).toContain(answer.kind);
    });
    test('reconcile: what ran is not said to be missing, changes nothing, and is answered in the same shape', async () => {
      const key = testKey();
      const output = await probe.run(golden.input, key);
      const before = await options.snapshot?.();
      const answer = await probe.reconcile(golden.input, key);
      expect(answer.kind).not.toBe('did_not_happen');
      if (answer.kind === 'happened') expect(answer.output).toEqual(output);
      expect(await options.snapshot?.()).toEqual(before);
    });
  }
  if (tool.contract.takes_key) {
    test('takes_key: sent twice with one key is one effect', async () => {
      const key = testKey();
      const output = await probe.run(golden.input, key);
      const before = await probe.snapshot();
      expect(await probe.run(golden.input, key)).toEqual(output);
      expect(await probe.snapshot()).toEqual(before);
    });
  }
  if (tool.contract.has_compensate) {
    test('compensate: what a run did is undone, and undoing it again does no harm', async () => {
      const key = testKey();
      const before = await probe.snapshot();
      const output = await probe.run(golden.input, key);
      expect(await probe.snapshot()).not.toEqual(before);
      await probe.compensate(golden.input, output, key);
      expect(await probe.snapshot()).toEqual(before);
      await probe
        .compensate(golden.input, output, key)
        .catch((error: unknown) => expect(error).toMatchObject({ countersign_tool_error: true }));
      expect(await probe.snapshot()).toEqual(before);
    });
  }
}

function limitSuite(probe: Probe): void {
  const { tool, options } = probe;
  const { slow, large } = options;
  if (slow) {
    test('an abort ends the run with a ToolError', async () => {
      const stop = new AbortController();
      const running = probe.attempt(slow, undefined, stop.signal);
      await setTimeout(50);
      stop.abort();
      const outcome = await within(ABORT_GRACE_MS, running);
      expect(outcome).toMatchObject({ kind: 'error', error: { countersign_tool_error: true } });
    });
  }
  if (large) {
    test('an answer larger than max_output_bytes is cut or refused by the tool itself', async () => {
      const outcome = await probe.attempt(large);
      if (outcome.kind === 'error') expect(outcome.error).toMatchObject({ countersign_tool_error: true });
      else {
        expect(probe.faultsOfOutput(outcome.output)).toEqual([]);
        expect(Buffer.byteLength(JSON.stringify(outcome.output))).toBeLessThanOrEqual(tool.contract.max_output_bytes);
      }
    });
  }
}

type Outcome = { kind: 'output'; output: unknown } | { kind: 'error'; error: unknown };

/** Runs one tool with fresh contexts, and checks what goes in and out against its contract. */
class Probe {
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

function testKey(): string {
  return testContext().idempotency_key;
}

async function within<T>(limit_ms: number, running: Promise<T>): Promise<T> {
  const stop = new AbortController();
  const late = setTimeout(limit_ms, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`not ended ${limit_ms} ms after the abort`);
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    stop.abort();
    late.catch(() => undefined);
  }
}
