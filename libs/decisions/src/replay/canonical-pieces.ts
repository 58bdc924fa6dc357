import { canonicalText } from '@countersign/contracts';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What JSON keeps of a value. */
const asJson = (value: unknown): string => canonicalText(JSON.parse(JSON.stringify(value)));

/**
 * The canonical JSON (RFC 8785) of an object, in pieces that are together what `canonicalText` gives: no more than one element is
 * turned into text at a time. `levelsOf`: how many levels below a member are expanded.
 */
export function* canonicalPieces(value: object, levelsOf: (name: string) => number): Generator<string> {
  yield* members(value as Record<string, unknown>, levelsOf);
}

function* pieces(value: unknown, levels: number): Generator<string> {
  if (levels > 0 && Array.isArray(value)) {
    yield '[';
    for (const [at, one] of value.entries()) {
      if (at > 0) yield ',';
      yield* pieces(one ?? null, levels - 1);
    }
    yield ']';
  } else if (levels > 0 && isObject(value)) yield* members(value, () => levels - 1);
  else yield asJson(value);
}

function* members(value: Readonly<Record<string, unknown>>, levelsOf: (name: string) => number): Generator<string> {
  // Like RFC 8785: by UTF-16 code units, which is how JavaScript compares strings.
  const names = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort();
  yield '{';
  for (const [at, name] of names.entries()) {
    yield `${at > 0 ? ',' : ''}${JSON.stringify(name)}:`;
    yield* pieces(value[name], levelsOf(name));
  }
  yield '}';
}
