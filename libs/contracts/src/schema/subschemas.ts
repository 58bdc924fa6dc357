import { memberPointer } from '../json-pointer.js';
/** A nested schema and the values that it applies to. `slot` null: the same value; otherwise nested values in that slot. */
export interface Subschema {
  schema: unknown;
  /** `/name` for a property, `*` for all other properties, `#` for items. */
  slot: string | null;
  path: string;
}

const inPlace = ['not', 'if', 'then', 'else'] as const;
const inPlaceLists = ['allOf', 'anyOf', 'oneOf'] as const;
const wildcards = ['additionalProperties', 'unevaluatedProperties'] as const;
const items = ['items', 'contains', 'unevaluatedItems', 'additionalItems'] as const;

export function isNode(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/**
 * The direct subschemas of a schema, by the 2020-12 keywords that contain schemas. Values of const, enum, default and examples are not
 * schemas.
 */
export function* subschemas(node: Record<string, unknown>): Generator<Subschema> {
  for (const keyword of inPlace) if (keyword in node) yield { schema: node[keyword], slot: null, path: keyword };
  for (const keyword of inPlaceLists) yield* listed(node, keyword, null);
  yield* named(node, 'dependentSchemas', () => null);
  yield* named(node, 'properties', (name) => `/${name}`);
  yield* named(node, 'patternProperties', () => '*');
  for (const keyword of wildcards) if (keyword in node) yield { schema: node[keyword], slot: '*', path: keyword };
  for (const keyword of items) if (isNode(node[keyword])) yield { schema: node[keyword], slot: '#', path: keyword };
  yield* listed(node, 'prefixItems', '#');
  if ('propertyNames' in node) yield { schema: node.propertyNames, slot: 'names', path: 'propertyNames' };
  for (const keyword of ['$defs', 'definitions']) yield* named(node, keyword, () => 'defs');
}

function* listed(node: Record<string, unknown>, keyword: string, slot: string | null): Generator<Subschema> {
  const list = node[keyword];
  if (Array.isArray(list)) for (const [at, schema] of list.entries()) yield { schema, slot, path: `${keyword}/${at}` };
}

function* named(node: Record<string, unknown>, keyword: string, slotOf: (name: string) => string | null): Generator<Subschema> {
  const map = node[keyword];
  if (!isNode(map)) return;
  for (const [name, schema] of Object.entries(map)) {
    yield { schema, slot: slotOf(name), path: memberPointer(keyword, name) };
  }
}
