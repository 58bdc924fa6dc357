type Json = Record<string, unknown>;

/** Writes the members of an object, one per line, and splits nested members in the same way down to `depth`. */
function lines(value: Json, depth: number): string {
  const members = Object.entries(value).map(([name, member]) => {
    const split = depth > 1 && typeof member === 'object' && member !== null && !Array.isArray(member);
    return `${JSON.stringify(name)}: ${split ? lines(member as Json, depth - 1) : JSON.stringify(member)}`;
  });
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n}`;
}

/** Writes an OpenAPI document with one line per operation and schema, so that a diff shows what changed. */
export function documentText(document: object): string {
  return `${lines(JSON.parse(JSON.stringify(document)) as Json, 3)}\n`;
}
