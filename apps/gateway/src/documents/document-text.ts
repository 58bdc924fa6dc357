type Json = Record<string, unknown>;

/** The members of an object, a line each; those below `at` are split in the same way. */
function lines(value: Json, depth: number): string {
  const members = Object.entries(value).map(([name, member]) => {
    const split = depth > 1 && typeof member === 'object' && member !== null && !Array.isArray(member);
    return `${JSON.stringify(name)}: ${split ? lines(member as Json, depth - 1) : JSON.stringify(member)}`;
  });
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n}`;
}

/** An OpenAPI document as text: a line for each operation and each schema, so that a change shows where it is. */
export function documentText(document: object): string {
  return `${lines(JSON.parse(JSON.stringify(document)) as Json, 3)}\n`;
}
