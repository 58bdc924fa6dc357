/** The JSON Pointer (RFC 6901) of a member of the value at `parent`. */
export function memberPointer(parent: string, name: PropertyKey): string {
  return `${parent}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

const INDEX = /^(?:0|[1-9][0-9]*)$/;

/** The value at a JSON Pointer in plain JSON, also in its lists; undefined if there is none. Inherited members do not count. */
export function valueAtPointer(whole: unknown, pointer: string): unknown {
  let value = whole;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, name)) return undefined;
    if (Array.isArray(value) && !INDEX.test(name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
