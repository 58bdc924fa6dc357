import { expect } from 'expect';
import type { ResourceStates } from '../eval-pack.js';
import { isToolError } from '../tool-error.js';
import type { ToolProbe } from '../tool-probe.js';
import { type Check, freshKey } from './check.js';

/** Runs A, B, compensate A: a compensation never loses changes that were made after its effect. */
export function undoChecks(probe: ToolProbe): Check[] {
  if (!probe.tool.contract.has_compensate) return [];
  return (probe.options.states ?? []).map((states) => ({
    title: `undo: ${states.title}: keeps later changes`,
    run: () => keepsLater(probe, states),
  }));
}

async function actOther(probe: ToolProbe, { b }: ResourceStates, key: string): Promise<void> {
  if (typeof b === 'function') await b();
  else await probe.run(b, { key });
}

const stateOf = async (probe: ToolProbe): Promise<unknown> => probe.comparable(await probe.snapshot());

/** The state that B leaves if A never ran; undefined: B cannot run then. */
async function alone(probe: ToolProbe, states: ResourceStates, key: string): Promise<unknown> {
  const state = await actOther(probe, states, key).then(
    () => stateOf(probe),
    () => undefined,
  );
  await probe.newWorld();
  return state;
}

/** A successful compensation leaves nothing of A and all of B. A refusal changes nothing and promises that. */
async function keepsLater(probe: ToolProbe, states: ResourceStates): Promise<void> {
  const [key, other] = [freshKey(), freshKey()];
  const withoutA = await alone(probe, states, other);
  const before = await stateOf(probe);
  const output = await probe.run(states.a, { key });
  await actOther(probe, states, other);
  const both = await stateOf(probe);
  const refused = await probe.compensate(states.a, output, key).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (refused === undefined) return expect(await stateOf(probe)).toEqual(withoutA ?? before);
  if (!isToolError(refused)) throw refused;
  expect(refused.more.effect).toBe('none');
  expect(await stateOf(probe)).toEqual(both);
}
