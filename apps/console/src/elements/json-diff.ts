import { membersOf, pointerTo } from './json-pointer.js';

/** One place where two JSON values differ. */
export type Difference =
  | { pointer: string; kind: 'added'; after: unknown }
  | { pointer: string; kind: 'removed'; before: unknown }
  | { pointer: string; kind: 'changed'; before: unknown; after: unknown };

/** More than a person reads. */
export const DIFFERENCES_MAX = 500;

/** Where two JSON values differ, in the order of the first one; at most DIFFERENCES_MAX. Items of lists are compared by place. */
export function differences(before: unknown, after: unknown): Difference[] {
  const found: Difference[] = [];
  collect(before, after, '', found);
  return found.slice(0, DIFFERENCES_MAX);
}

function collect(before: unknown, after: unknown, pointer: string, found: Difference[]): void {
  if (found.length > DIFFERENCES_MAX || Object.is(before, after)) return;
  const old = membersOf(before);
  const next = membersOf(after);
  if (!old || !next || Array.isArray(before) !== Array.isArray(after)) {
    found.push({ pointer, kind: 'changed', before, after });
    return;
  }
  const added = new Map(next);
  for (const [name, value] of old) {
    const place = pointerTo(pointer, name);
    if (!added.has(name)) found.push({ pointer: place, kind: 'removed', before: value });
    else collect(value, added.get(name), place, found);
    added.delete(name);
  }
  for (const [name, value] of added) found.push({ pointer: pointerTo(pointer, name), kind: 'added', after: value });
}
