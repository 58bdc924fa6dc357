import { ownMember } from './schema.js';

/** A plain object; an empty one for anything else. */
export const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The object with one member set; undefined removes it. */
export function withMember(value: unknown, name: string, member: unknown): Record<string, unknown> {
  const members = Object.entries(objectOf(value)).filter(([other]) => other !== name || member !== undefined);
  if (member === undefined) return Object.fromEntries(members);
  const is_new = ownMember(value, name) === undefined && !Object.hasOwn(objectOf(value), name);
  return Object.fromEntries(is_new ? [...members, [name, member]] : members.map(([other, old]) => [other, other === name ? member : old]));
}

/** The list with one item set; undefined removes it. */
export function withItem(value: unknown, at: number, item: unknown): unknown[] {
  const items = [...itemsOf(value)];
  if (item === undefined) items.splice(at, 1);
  else items[at] = item;
  return items;
}
