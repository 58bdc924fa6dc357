import { envelopeMembers } from './envelope.js';
import type { SeenCall } from './seen-by.js';

/** The members to show. For an object that is not shown whole, the names of its own members. */
export type PickedMembers = ReadonlyMap<string, true | readonly string[]>;

function partOf(value: unknown, names: true | readonly string[]): unknown {
  if (names === true || typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  return Object.fromEntries(names.flatMap((name) => (members[name] === undefined ? [] : [[name, members[name]]])));
}

/** Picks some members of an object. */
export function pickedOf(item: Readonly<Record<string, unknown>>, picked: PickedMembers): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, names] of picked) if (item[name] !== undefined) shown[name] = partOf(item[name], names);
  return shown;
}

/** Picks some members of a call's envelope as JSON text; inputs and results are not parsed. */
export function pickedEnvelopeText(state: SeenCall, picked: PickedMembers): string {
  const { made, recorded } = envelopeMembers(state);
  const members = Object.entries(pickedOf(made, picked)).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  for (const name in recorded) if (picked.has(name)) members.push(`"${name}":${recorded[name]}`);
  return `{${members.join(',')}}`;
}
