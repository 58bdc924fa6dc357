import { setTimeout } from 'node:timers/promises';
import { isReadOnly } from '@countersign/contracts';
import { expect } from '@jest/globals';
import fc from 'fast-check';
import { arbitraryInput } from './arbitrary-input.js';
import { contractFaults } from './contract-faults.js';
import { testContext } from './test-context.js';
import type { ToolProbe } from './tool-probe.js';

const ABORT_GRACE_MS = 1_000;

/** One thing that a tool must keep to; rejects where it does not. */
export interface Check {
  title: string;
  run(): Promise<void>;
}

/** Everything that this tool can be checked for: its contract, schemas, effect class, key, undo and limits. */
export function contractChecks(probe: ToolProbe): Check[] {
  return [...shapeChecks(probe), ...effectChecks(probe), ...limitChecks(probe)];
}

function shapeChecks(probe: ToolProbe): Check[] {
  const { tool, options } = probe;
  const golden = options.golden.map((each) => ({
    title: `golden: ${each.title}`,
    run: async () => {
      expect(probe.faultsOfInput(each.input)).toEqual([]);
      const output = await probe.run(each.input);
      expect(probe.faultsOfOutput(output)).toEqual([]);
      await each.expects?.(output);
    },
  }));
  return [
    {
      title: 'the contract has no faults, and its schemas compile',
      run: async () => {
        expect(contractFaults(tool.contract, tool.contract as never)).toEqual([]);
        expect(() => probe.validators()).not.toThrow();
      },
    },
    ...golden,
    {
      title: 'an unknown field is not in the schema',
      run: async () => expect(probe.faultsOfInput({ ...options.golden[0].input, no_such_field: 1 })).not.toEqual([]),
    },
    {
      title: 'every generated input gives an output of the schema or a ToolError, and one that promises no effect had none',
      run: () => tryGenerated(probe),
    },
  ];
}

async function tryGenerated(probe: ToolProbe): Promise<void> {
  const { tool, options } = probe;
  const all = arbitraryInput(tool.contract.input_schema);
  const inputs = (options.generated?.(all) ?? all) as fc.Arbitrary<Record<string, unknown>>;
  const property = fc.asyncProperty(inputs, async (input) => {
    expect(probe.faultsOfInput(input)).toEqual([]);
    const before = await options.snapshot?.();
    const outcome = await probe.attempt(input);
    if (outcome.kind === 'output') return expect(probe.faultsOfOutput(outcome.output)).toEqual([]);
    expect(outcome.error).toMatchObject({ countersign_tool_error: true });
    const promise = (outcome.error as { more?: { effect?: string } }).more?.effect;
    if (promise === 'none') expect(await options.snapshot?.()).toEqual(before);
  });
  await fc.assert(property, { numRuns: options.generated_runs ?? 50 });
}

function effectChecks(probe: ToolProbe): Check[] {
  const { contract } = probe.tool;
  return [
    ...(isReadOnly(contract.effect_class) ? [{ title: 'a read-only tool changes nothing', run: () => changesNothing(probe) }] : []),
    ...(contract.has_reconcile ? reconcileChecks(probe) : []),
    ...(contract.takes_key ? [{ title: 'takes_key: sent twice with one key is one effect', run: () => takesKey(probe) }] : []),
    ...(contract.has_compensate
      ? [{ title: 'compensate: what a run did is undone, and undoing it again does no harm', run: () => compensates(probe) }]
      : []),
  ];
}

async function changesNothing(probe: ToolProbe): Promise<void> {
  const before = await probe.snapshot();
  for (const { input } of probe.options.golden) await probe.run(input);
  expect(await probe.snapshot()).toEqual(before);
}

function reconcileChecks(probe: ToolProbe): Check[] {
  const { input } = probe.options.golden[0];
  return [
    {
      title: 'reconcile: what never ran is not said to have happened',
      run: async () => {
        const answer = await probe.reconcile(input, freshKey());
        expect(['did_not_happen', 'cannot_tell']).toContain(answer.kind);
      },
    },
    {
      title: 'reconcile: what ran is not said to be missing, is answered with the same output, and asking changes nothing',
      run: async () => {
        const key = freshKey();
        const output = await probe.run(input, key);
        const before = await probe.options.snapshot?.();
        const answer = await probe.reconcile(input, key);
        expect(answer.kind).not.toBe('did_not_happen');
        if (answer.kind === 'happened') expect(answer.output).toEqual(output);
        expect(await probe.options.snapshot?.()).toEqual(before);
      },
    },
  ];
}

async function takesKey(probe: ToolProbe): Promise<void> {
  const { input } = probe.options.golden[0];
  const key = freshKey();
  const output = await probe.run(input, key);
  const before = await probe.snapshot();
  expect(await probe.run(input, key)).toEqual(output);
  expect(await probe.snapshot()).toEqual(before);
}

async function compensates(probe: ToolProbe): Promise<void> {
  const { input } = probe.options.golden[0];
  const key = freshKey();
  const before = await probe.snapshot();
  const output = await probe.run(input, key);
  expect(await probe.snapshot()).not.toEqual(before);
  await probe.compensate(input, output, key);
  expect(await probe.snapshot()).toEqual(before);
  const again = probe.compensate(input, output, key);
  await again.catch((error: unknown) => expect(error).toMatchObject({ countersign_tool_error: true }));
  expect(await probe.snapshot()).toEqual(before);
}

function limitChecks(probe: ToolProbe): Check[] {
  const { slow, large } = probe.options;
  return [
    ...(slow ? [{ title: 'an abort ends the run with a ToolError', run: () => endsOnAbort(probe, slow) }] : []),
    ...(large ? [{ title: 'an answer larger than max_output_bytes is cut or refused', run: () => staysSmall(probe, large) }] : []),
  ];
}

async function endsOnAbort(probe: ToolProbe, slow: Record<string, unknown>): Promise<void> {
  const stop = new AbortController();
  const running = probe.attempt(slow, undefined, stop.signal);
  await setTimeout(50);
  stop.abort();
  expect(await within(ABORT_GRACE_MS, running)).toMatchObject({ kind: 'error', error: { countersign_tool_error: true } });
}

async function staysSmall(probe: ToolProbe, large: Record<string, unknown>): Promise<void> {
  const outcome = await probe.attempt(large);
  if (outcome.kind === 'error') return expect(outcome.error).toMatchObject({ countersign_tool_error: true });
  expect(probe.faultsOfOutput(outcome.output)).toEqual([]);
  expect(Buffer.byteLength(JSON.stringify(outcome.output))).toBeLessThanOrEqual(probe.tool.contract.max_output_bytes);
}

function freshKey(): string {
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
