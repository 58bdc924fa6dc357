/** The JSON Pointer (RFC 6901) of a member of the value at `parent`. */
export function memberPointer(parent: string, name: PropertyKey): string {
  return `${parent}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A JSON Pointer (RFC 6901) to a member below the root, without empty names. */
export const INPUT_POINTER = /^(\/([^~/]|~[01])+)+$/;

/** The value at a JSON Pointer; undefined if there is none. Only own properties of objects are used. */
export function valueAt(inputs: unknown, pointer: string): unknown {
  let at = inputs;
  for (const step of pointer.split('/').slice(1)) {
    const property = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (at === null || typeof at !== 'object' || Array.isArray(at) || !Object.hasOwn(at, property)) return undefined;
    at = (at as Record<string, unknown>)[property];
  }
  return at;
}
