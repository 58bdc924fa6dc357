import type { Authority } from './generated/events.js';

/** The rights of a principal. `scopes` or `purposes` null: not limited; `*` in a list means all. */
export type Rights = Pick<Authority, 'scopes' | 'clearances' | 'purposes'>;

const ALL = '*';

function both(a: readonly string[], b: readonly string[]): string[] {
  if (a.includes(ALL)) return [...b];
  return b.includes(ALL) ? [...a] : a.filter((one) => b.includes(one));
}

const limited = (a: readonly string[] | null, b: readonly string[] | null): string[] | null => {
  if (a === null) return b && [...b];
  return b === null ? [...a] : both(a, b);
};

/** The intersection of the rights of two principals. */
export function intersectRights(a: Rights, b: Rights): Rights {
  return { scopes: limited(a.scopes, b.scopes), clearances: both(a.clearances, b.clearances), purposes: limited(a.purposes, b.purposes) };
}

/** The values of `wanted` that `held` lacks; null holds everything. */
export function lacking(wanted: readonly string[], held: readonly string[] | null): string[] {
  return held === null || held.includes(ALL) ? [] : wanted.filter((one) => !held.includes(one));
}

/** The union of two lists in their order, each value once. */
export function union(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])];
}
