import { canonicalText } from '@countersign/contracts';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The canonical JSON of a value, as JSON.stringify would keep it. */
const asJson = (value: unknown): string => canonicalText(JSON.parse(JSON.stringify(value)));

/**
 * Yields the canonical JSON (RFC 8785) of an object in pieces; together they equal `canonicalText`. At most one element is serialized at a
 * time. `levelsOf`: how many levels below a member are expanded.
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
  // Sort by UTF-16 code units, as RFC 8785 does; JavaScript compares strings in this order.
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
