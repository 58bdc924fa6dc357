import { expect } from 'expect';
import fc from 'fast-check';
import { arbitraryInput } from '../arbitrary-input.js';
import { faultsOfForeign } from '../contract-of.js';
import type { ToolProbe } from '../tool-probe.js';
import type { Check } from './check.js';

/** Checks the contract, golden inputs and generated inputs; every output must match the schema, the size limit and the predicates. */
export function shapeChecks(probe: ToolProbe): Check[] {
  const { tool, options } = probe;
  const golden = options.golden.map((each) => ({
    title: `golden: ${each.title}`,
    run: async () => {
      expect(probe.faultsOfInput(each.input)).toEqual([]);
      const output = await probe.run(each.input);
      expect(probe.faultsOfOutput(output)).toEqual([]);
      expect(probe.brokenPredicates(each.input, output)).toEqual([]);
      if (each.output !== undefined) expect(output).toMatchObject(each.output);
      await each.expects?.(output);
    },
  }));
  return [
    {
      title: 'the contract has no faults, and its schemas compile',
      run: async () => {
        expect(faultsOfForeign(tool.contract)).toEqual([]);
        expect(() => probe.validators()).not.toThrow();
      },
    },
    ...golden,
    {
      title: 'the schema rejects an unknown field',
      run: async () => expect(probe.faultsOfInput({ ...options.golden[0].input, no_such_field: 1 })).not.toEqual([]),
    },
    {
      title:
        'every generated input gives an output that matches the schema or a ToolError, and a ToolError that promises no effect had none',
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
    const before = await options.counterpart?.snapshot?.();
    const outcome = await probe.attempt(input);
    if (outcome.kind === 'output') {
      expect(probe.faultsOfOutput(outcome.output)).toEqual([]);
      expect(probe.brokenPredicates(input, outcome.output)).toEqual([]);
      expect(Buffer.byteLength(JSON.stringify(outcome.output))).toBeLessThanOrEqual(tool.contract.max_output_bytes);
      return;
    }
    expect(outcome.error).toMatchObject({ countersign_tool_error: true });
    const promise = (outcome.error as { more?: { effect?: string } }).more?.effect;
    if (promise === 'none') expect(await options.counterpart?.snapshot?.()).toEqual(before);
  });
  await fc.assert(property, { numRuns: options.generated_runs ?? 50 });
}
