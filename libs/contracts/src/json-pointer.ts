/** The JSON Pointer (RFC 6901) of a member of the value at `parent`. */
export function memberPointer(parent: string, name: PropertyKey): string {
  return `${parent}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
