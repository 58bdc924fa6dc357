/** How many members of an object or items of a list are shown at first, and added by each "show more". */
export const MEMBERS_SHOWN = 50;
/** Beyond this depth a value is offered for copying only. */
export const DEPTH_MAX = 40;

/** RFC 6901: the pointer to a member of the value at `parent`. */
export const pointerTo = (parent: string, member: string | number): string =>
  `${parent}/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Members of an object or items of a list; undefined for other values. */
export function membersOf(value: unknown): readonly (readonly [name: string, value: unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((item, at) => [String(at), item] as const);
  if (typeof value === 'object' && value !== null) return Object.entries(value);
  return undefined;
}

/** `3 items`, `1 field`: what a closed list or object says of itself. */
export function sizeOf(value: unknown): string {
  const count = membersOf(value)?.length ?? 0;
  const word = Array.isArray(value) ? 'item' : 'field';
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
