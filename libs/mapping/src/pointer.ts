const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/** The parts of a JSON Pointer; undefined if the text is not a pointer or has a forbidden field name. */
export function partsOf(pointer: string): string[] | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || pointer.length > 1000 || /~(?![01])/.test(pointer)) return undefined;
  const parts = pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return parts.some((part) => FORBIDDEN.has(part)) ? undefined : parts;
}

export const joined = (at: string, part: string | number): string => `${at}/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const INDEX = /^(?:0|[1-9]\d{0,8})$/;

/** The value at a place, also in lists; undefined if there is none. Inherited members do not count. */
export function valueAt(document: unknown, parts: readonly string[]): unknown {
  let found = document;
  for (const part of parts) {
    if (Array.isArray(found)) found = INDEX.test(part) ? found[Number(part)] : undefined;
    else if (isRecord(found)) found = Object.hasOwn(found, part) ? found[part] : undefined;
    else return undefined;
  }
  return found;
}

/** Sets a value at a place of a record that the mapping builds, and creates the records on the path. */
export function putAt(target: Record<string, unknown>, parts: readonly string[], value: unknown): void {
  let into = target;
  for (const part of parts.slice(0, -1)) {
    const next = Object.hasOwn(into, part) ? into[part] : undefined;
    if (isRecord(next)) into = next;
    else {
      const made = {};
      define(into, part, made);
      into = made;
    }
  }
  define(into, parts.at(-1) as string, value);
}

/** Defines the property explicitly: a plain assignment of `__proto__` would set the prototype. */
export function define(into: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(into, name, { value, enumerable: true, writable: true, configurable: true });
}
