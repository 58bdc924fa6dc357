import type { Block, Join, SagaDefinition, StepBlock } from './definition.js';
import { type DefinitionFault, faultAt, type KnownTool } from './faults.js';
import { below, nameOf, type Place, rootOf, within } from './places.js';
import { traitsOf } from './tools.js';

const NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** Names are used in keys and step ids, so they must be plain and unique. */
function nameFaults(places: readonly Place[]): DefinitionFault[] {
  const seen = new Map<string, string>();
  return places.flatMap(({ block, pointer }) => {
    const name = nameOf(block);
    if (name === undefined) return [];
    const first = seen.get(name);
    if (!NAME.test(name))
      return [
        faultAt(
          name,
          `${pointer}/name`,
          `${JSON.stringify(name)} is not a valid name: use a to z, 0 to 9 and _, at most 64, a letter first`,
        ),
      ];
    if (first !== undefined) return [faultAt(name, `${pointer}/name`, `the name ${name} is already used at ${first}`)];
    seen.set(name, pointer);
    return [];
  });
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;

function joinFaults(join: Join, branches: number | null, { block, pointer }: Place): DefinitionFault[] {
  if (join.kind !== 'quorum' || (isCount(join.count) && (branches === null || join.count <= branches))) return [];
  return [
    faultAt(
      nameOf(block) ?? null,
      `${pointer}/join/count`,
      `a quorum is a whole number from 1${branches === null ? '' : ` to ${branches}`}`,
    ),
  ];
}

function shapeOf(place: Place): DefinitionFault[] {
  const { block, pointer } = place;
  const at = (field: string, message: string) => [faultAt(nameOf(block) ?? null, `${pointer}/${field}`, message)];
  switch (block.kind) {
    case 'sequence':
      return block.blocks.length === 0 ? at('blocks', 'a sequence has at least one block') : [];
    case 'branch':
      return block.choices.length === 0 ? at('choices', 'a branch has at least one choice') : [];
    case 'parallel':
      return [
        ...(block.branches.length === 0 ? at('branches', 'at least one branch') : []),
        ...joinFaults(block.join, block.branches.length, place),
      ];
    case 'map':
      return [...(isCount(block.concurrency) ? [] : at('concurrency', 'a whole number from 1')), ...joinFaults(block.join, null, place)];
    case 'wait':
      return [
        ...(isCount(block.timeout_ms) ? [] : at('timeout_ms', 'a whole number of milliseconds from 1: every wait ends')),
        ...(block.wait === 'time' || block.subject ? [] : at('subject', `a wait for an ${block.wait} says what it waits for`)),
      ];
    default:
      return [];
  }
}

/** A join that drops losing branches must be able to undo them. */
function loserFaults(place: Place, tools: readonly KnownTool[]): DefinitionFault[] {
  const { block } = place;
  if ((block.kind !== 'parallel' && block.kind !== 'map') || block.join.kind === 'all') return [];
  const inner = below(place)
    .flatMap(within)
    .filter((at): at is { block: StepBlock; pointer: string } => at.block.kind === 'step');
  return inner.flatMap(({ block: step, pointer }) => {
    const { is_write, is_irreversible, can_undo } = traitsOf(step, tools);
    if (!is_write || (can_undo && !is_irreversible)) return [];
    return [
      faultAt(
        step.name,
        pointer,
        `${step.name} cannot be undone, and its join (${block.join.kind}) drops branches: use join all, or a tool with a compensation`,
      ),
    ];
  });
}

/** Faults that do not depend on the inputs of tools. */
export function shapeFaults(definition: SagaDefinition, tools: readonly KnownTool[]): DefinitionFault[] {
  const places = within(rootOf(definition));
  const wait_max = isCount(definition.wait_max_ms) ? [] : [faultAt(null, '/wait_max_ms', 'a whole number of milliseconds from 1')];
  return [...wait_max, ...nameFaults(places), ...places.flatMap(shapeOf), ...places.flatMap((place) => loserFaults(place, tools))];
}

/** Blocks after which, or beside which, other blocks may run. */
export function followed(place: Place, is_followed = false): ReadonlySet<Block> {
  const inner = below(place);
  const found = new Set<Block>(is_followed ? [place.block] : []);
  for (const [at, each] of inner.entries()) {
    const later =
      place.block.kind === 'sequence'
        ? at < inner.length - 1
        : place.block.kind === 'map' || (place.block.kind === 'parallel' && inner.length > 1);
    for (const block of followed(each, is_followed || later)) found.add(block);
  }
  return found;
}
