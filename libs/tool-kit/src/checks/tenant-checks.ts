import { expect } from 'expect';
import type { RunContext } from '../tool.js';
import type { ToolProbe } from '../tool-probe.js';
import { type Check, freshKey } from './check.js';

/** Another tenant whose agent has the same name, and works on a case of the same name. */
const OTHER_TENANT = 'other';

/** One run of a golden input by the tenant that the counterpart belongs to. */
interface OwnRun {
  input: Record<string, unknown>;
  key: string;
  output: unknown;
}

/**
 * What a tenant's runs do and find is that tenant's alone: the same inputs and keys, given by another tenant, are answered
 * as if the first tenant were not there. A counterpart that all tenants reach alike says so (`common`).
 */
export function tenantChecks(probe: ToolProbe): Check[] {
  const { counterpart } = probe.options;
  if (counterpart?.common !== undefined) return [];
  return [
    {
      title: 'a run of another tenant has the same result with and without the data of this tenant',
      run: () => answersAsAlone(probe),
    },
    ...(counterpart
      ? [
          {
            title: 'run, reconcile, verify and undo of another tenant change nothing of this tenant',
            run: () => changesNothingOf(probe),
          },
        ]
      : []),
  ];
}

async function answersAsAlone(probe: ToolProbe): Promise<void> {
  const keys = probe.options.golden.map(() => freshKey());
  await probe.newWorld();
  // The inputs are looked at while the world that they are made from is there.
  const inputs = probe.options.golden.map(({ input }) => ({ ...input }));
  await probe.options.counterpart?.clean?.();
  const alone = await answersOfOther(probe, inputs, keys);
  await probe.newWorld();
  for (const [at, input] of inputs.entries()) await probe.attempt(input, { key: keys[at] as string });
  expect(await answersOfOther(probe, inputs, keys)).toEqual(alone);
}

/** What the other tenant is answered: by reconcile before its own run, and by that run. */
async function answersOfOther(probe: ToolProbe, inputs: readonly Record<string, unknown>[], keys: readonly string[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const [at, input] of inputs.entries()) {
    const context = asOther(probe, keys[at] as string);
    if (probe.tool.reconcile) answers.push(probe.comparable(await settled(probe.tool.reconcile(input as never, context))));
    answers.push(probe.comparable(await settled(probe.tool.run(input as never, context))));
  }
  return answers;
}

async function changesNothingOf(probe: ToolProbe): Promise<void> {
  const { tool, options } = probe;
  for (const { input: golden_input } of options.golden) {
    await probe.newWorld();
    const own: OwnRun = { input: { ...golden_input }, key: freshKey(), output: undefined };
    own.output = await probe.run(own.input, { key: own.key });
    const before = await probe.snapshot();
    const context = asOther(probe, own.key);
    const [input, output] = [own.input as never, own.output as never];
    // Whether an effect happened is the tenant's own business.
    if (tool.reconcile) expect(await settled(tool.reconcile(input, context))).not.toMatchObject({ output: { kind: 'happened' } });
    if (tool.verify) expect(await settled(tool.verify(input, output, context))).not.toMatchObject({ output: { kind: 'verified' } });
    if (tool.compensate) await settled(tool.compensate(probe.effectOf(own.input, own.output, own.key), context));
    await settled(tool.run(input, context));
    expect(await probe.snapshot()).toEqual(before);
    if (tool.reconcile) expect((await probe.reconcile(own.input, own.key)).kind).not.toBe('did_not_happen');
  }
}

function asOther(probe: ToolProbe, key: string): RunContext {
  return probe.context({ key, context: { ...probe.options.context, tenant_id: OTHER_TENANT } });
}

async function settled(running: Promise<unknown>): Promise<{ output: unknown } | { error: unknown }> {
  try {
    return { output: await running };
  } catch (error) {
    return { error };
  }
}
