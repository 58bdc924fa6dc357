/** A part of a schema and where its values stand: `null`: at the same place as the schema's own, otherwise below it, in that slot. */
export interface Subschema {
  schema: unknown;
  /** `/name` of a property, `*name` for all of them but those named beside it, `#` for items. */
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

/** Every schema directly inside a schema, by the keywords of 2020-12 that hold schemas; values of const, enum, default and examples do not count. */
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
    yield { schema, slot: slotOf(name), path: `${keyword}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` };
  }
}
