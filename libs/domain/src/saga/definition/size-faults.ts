import type { SagaDefinition } from './definition.js';
import { type DefinitionFault, faultAt } from './faults.js';
import { below, nameOf, type Place, rootOf, within } from './places.js';

/** Blocks inside each other, the root and the step included. */
export const SAGA_LEVELS_MAX = 16;
export const SAGA_STEPS_MAX = 200;
/** Tools of all steps, their fallbacks and compensations included. */
export const SAGA_USES_MAX = 600;

/** The outermost blocks that are nested too deep. */
function tooDeep(place: Place, level = 1): DefinitionFault[] {
  const { block, pointer } = place;
  if (level > SAGA_LEVELS_MAX)
    return [faultAt(nameOf(block) ?? null, pointer, `blocks are nested more than ${SAGA_LEVELS_MAX} levels deep: split the saga`)];
  return below(place).flatMap((inner) => tooDeep(inner, level + 1));
}

/** A definition with one of these is not looked at any further. */
export function sizeFaults(definition: SagaDefinition): DefinitionFault[] {
  const root = rootOf(definition);
  const steps = within(root).flatMap(({ block }) => (block.kind === 'step' ? [block] : []));
  const uses = steps.reduce((sum, { fallbacks = [], compensation }) => sum + 1 + fallbacks.length + (compensation ? 1 : 0), 0);
  const many = (count: number, max: number, what: string) =>
    count > max ? [faultAt(null, '/root', `the definition has ${count} ${what}, at most ${max} are allowed: split the saga`)] : [];
  return [...tooDeep(root), ...many(steps.length, SAGA_STEPS_MAX, 'steps'), ...many(uses, SAGA_USES_MAX, 'uses of tools')];
}
