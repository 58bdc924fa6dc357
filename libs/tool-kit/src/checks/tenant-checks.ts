import { expect } from 'expect';
import type { RunContext } from '../tool.js';
import type { ToolProbe } from '../tool-probe.js';
import { type Check, freshKey } from './check.js';

/** Another tenant whose agent and case have the same names. */
const OTHER_TENANT = 'other';

/** One run of a golden input by the tenant that owns the counterpart. */
interface OwnRun {
  input: Record<string, unknown>;
  key: string;
  output: unknown;
}

/**
 * Effects and findings of a tenant's runs belong to that tenant alone: for the same inputs and keys, another tenant gets results as if
 * the first tenant did not exist. A counterpart that all tenants share declares that (`common`).
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
  // Copies the inputs while the world from which they are made exists.
  const inputs = probe.options.golden.map(({ input }) => ({ ...input }));
  await probe.options.counterpart?.clean?.();
  const alone = await answersOfOther(probe, inputs, keys);
  await probe.newWorld();
  for (const [at, input] of inputs.entries()) await probe.attempt(input, { key: keys[at] as string });
  expect(await answersOfOther(probe, inputs, keys)).toEqual(alone);
}

/** The other tenant's results: of reconcile before its own run, and of that run. */
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
    // A tenant must not learn whether another tenant's effect happened.
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
