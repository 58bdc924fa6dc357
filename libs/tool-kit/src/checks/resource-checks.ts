import { attemptKey, overlaps, type ResourceEffect, type ResourceUse, resourcesOf } from '@countersign/contracts';
import { expect } from 'expect';
import type { ResourceStates } from '../eval-pack.js';
import type { ToolProbe } from '../tool-probe.js';
import { expectNotBegun } from './attempt-checks.js';
import { type Check, freshKey } from './check.js';

/** Checks each declared `replaces` and `adds` at the counterpart, with pairs of writes on one resource. */
export function resourceChecks(probe: ToolProbe): Check[] {
  if (probe.tool.contract.resources === undefined) return [];
  const states = probe.options.states ?? [];
  return [
    {
      title: 'resources: the eval pack has two states for each declared effect',
      run: async () => coversEach(probe, states),
    },
    ...states.map((each) => ({ title: `resources: ${each.title}`, run: () => keepsTo(probe, each) })),
  ];
}

function declaredEffects(probe: ToolProbe): ResourceEffect[] {
  const effects = (probe.tool.contract.resources ?? []).flatMap(({ effect }) =>
    typeof effect === 'string' ? [effect] : [...Object.values(effect.values), effect.otherwise],
  );
  return [...new Set(effects)].sort();
}

function coversEach(probe: ToolProbe, states: readonly ResourceStates[]): void {
  const covered = new Set(states.map((each) => effectOf(probe, each)));
  const missing = declaredEffects(probe).filter((effect) => !covered.has(effect));
  if (missing.length === 0) return;
  throw new Error(
    `states of the eval pack: none has an "a" that ${missing.join(' or ')}; add {title, a, b} with two writes on one resource`,
  );
}

function usesOf(probe: ToolProbe, input: Record<string, unknown>): ResourceUse[] {
  return resourcesOf(probe.tool.contract, JSON.parse(JSON.stringify(input)));
}

/** The declared effect of `a` on the resources that `b` acts on too. @throws if they have no common resource. */
function effectOf(probe: ToolProbe, { title, a, b }: ResourceStates): ResourceEffect {
  const uses = usesOf(probe, a);
  const others = typeof b === 'function' ? uses : usesOf(probe, b);
  const common = uses.filter((use) => others.some((other) => overlaps(use.segments, other.segments)));
  if (common.length === 0) throw new Error(`states ${JSON.stringify(title)}: a and b name no common resource`);
  return common.some(({ effect }) => effect === 'replaces') ? 'replaces' : 'adds';
}

async function keepsTo(probe: ToolProbe, states: ResourceStates): Promise<void> {
  return effectOf(probe, states) === 'replaces' ? replaces(probe, states) : adds(probe, states);
}

async function stateOf(probe: ToolProbe): Promise<unknown> {
  return probe.comparable(await probe.snapshot());
}

async function actOther(probe: ToolProbe, { b }: ResourceStates): Promise<void> {
  if (typeof b === 'function') await b();
  else await probe.run(b);
}

/**
 * Runs A, B, A. The read-back sees the effect of A; after B nothing of A remains; the second attempt of A really runs, leaves the same
 * state as the first, and can be compensated separately.
 */
async function replaces(probe: ToolProbe, states: ResourceStates): Promise<void> {
  const first = freshKey();
  const second = attemptKey(first, 2);
  const seen = await probe.run(states.a, { key: first });
  // A result is valid only if the read-back confirms it.
  if (probe.tool.contract.has_verify) expect((await probe.verify(states.a, seen, first)).kind).toBe('verified');
  const left = await stateOf(probe);
  await actOther(probe, states);
  const other = await stateOf(probe);
  expect(other).not.toEqual(left);
  await expectNotBegun(probe, states.a, second);
  const output = await probe.run(states.a, { key: second });
  expect(probe.tool.changedNothing?.(output as never) ?? false).toBe(false);
  expect(await stateOf(probe)).toEqual(left);
  if (!probe.tool.contract.has_compensate) return;
  await probe.compensate(states.a, output, second);
  expect(await stateOf(probe)).toEqual(other);
}

/** Runs A, B, retry of A. The effect of A still exists beside B, so that the retry gets its result and has no effect. */
async function adds(probe: ToolProbe, states: ResourceStates): Promise<void> {
  const key = freshKey();
  await actOther(probe, states);
  const withoutA = await stateOf(probe);
  await probe.newWorld();
  const output = await probe.run(states.a, { key });
  await actOther(probe, states);
  const both = await stateOf(probe);
  expect(both).not.toEqual(withoutA);
  const { has_reconcile, has_verify, takes_key } = probe.tool.contract;
  if (has_reconcile) expect((await probe.reconcile(states.a, key)).kind).not.toBe('did_not_happen');
  if (has_verify) expect((await probe.verify(states.a, output, key)).kind).toBe('verified');
  if (takes_key) expect(await probe.run(states.a, { key })).toEqual(output);
  expect(await stateOf(probe)).toEqual(both);
}
