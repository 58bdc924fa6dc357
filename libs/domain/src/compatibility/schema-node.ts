import { type JsonSchema, memberPointer } from '@countersign/contracts';

/** A schema with its position: `root` is the document that its `#/…` references refer to. */
export interface SchemaNode {
  schema: JsonSchema;
  root: JsonSchema;
  /** JSON Pointer from the root. */
  at: string;
}

const NOTHING: JsonSchema = { not: {} };
const CHAIN_MAX = 32;

/** Annotations: keywords that do not affect which values are valid. */
const annotations = new Set([
  'title',
  'description',
  '$comment',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$id',
  '$schema',
  '$defs',
]);

const isAnnotation = (keyword: string): boolean => annotations.has(keyword) || keyword.startsWith('x-');

export const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const unescaped = (part: string): string => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');

/** The child node at a path of keywords and names. */
export function below(node: SchemaNode, value: unknown, ...path: (string | number)[]): SchemaNode {
  return { schema: asSchema(value), root: node.root, at: path.reduce<string>(memberPointer, node.at) };
}

function asSchema(value: unknown): JsonSchema {
  if (value === false) return NOTHING;
  return isObject(value) ? value : {};
}

/** The node that a local reference points to; undefined if the reference is not local or its target is missing. */
function target(node: SchemaNode, ref: string): SchemaNode | undefined {
  if (ref === '#') return { schema: node.root, root: node.root, at: '' };
  if (!ref.startsWith('#/')) return undefined;
  let found: unknown = node.root;
  for (const part of ref.slice(2).split('/')) {
    const name = unescaped(part);
    if (Array.isArray(found)) found = found[Number(name)];
    else if (isObject(found) && Object.hasOwn(found, name)) found = found[name];
    else return undefined;
  }
  return found === undefined ? undefined : { schema: asSchema(found), root: node.root, at: ref.slice(1) };
}

/**
 * The schemas that a value must all satisfy: the node's own keywords, its reference and its `allOf`, flattened. Undefined if a reference
 * cannot be resolved.
 */
export function conjuncts(node: SchemaNode, left = CHAIN_MAX): SchemaNode[] | undefined {
  if (left === 0) return undefined;
  const { $ref, allOf, ...own } = node.schema;
  const parts: SchemaNode[] = [];
  if (Object.keys(own).some((keyword) => !isAnnotation(keyword))) parts.push({ ...node, schema: own });
  const inner: SchemaNode[] = Array.isArray(allOf) ? allOf.map((part, i) => below(node, part, 'allOf', i)) : [];
  if (typeof $ref === 'string') {
    const named = target(node, $ref);
    if (!named) return undefined;
    inner.push(named);
  }
  for (const part of inner) {
    const more = conjuncts(part, left - 1);
    if (!more) return undefined;
    parts.push(...more);
  }
  return parts;
}

/**
 * The keys below these keywords are names, and schemas are below the names: `properties: {title: …}` has a property `title`, not an
 * annotation.
 */
const named = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);
const literal = new Set(['enum', 'const', 'default']);

type Reading = 'schema' | 'names' | 'literal';

function readingBelow(reading: Reading, keyword: string): Reading {
  if (reading === 'literal') return 'literal';
  if (reading === 'names') return 'schema';
  return literal.has(keyword) ? 'literal' : named.has(keyword) ? 'names' : 'schema';
}

/** The constraints of a schema as comparable text: without annotations, with sorted keys. */
export function constraintText(value: unknown, reading: Reading = 'schema'): string {
  if (Array.isArray(value)) return `[${value.map((item) => constraintText(item, reading)).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([keyword]) => reading !== 'schema' || keyword === '$defs' || !isAnnotation(keyword))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([keyword, inner]) => {
      const set = reading === 'schema' && (keyword === 'required' || keyword === 'type') && Array.isArray(inner);
      return `${JSON.stringify(keyword)}:${constraintText(set ? inner.toSorted() : inner, readingBelow(reading, keyword))}`;
    });
  return `{${entries.join(',')}}`;
}

/** JSON Pointer to the first differing constraint of two schemas; '' if they differ as a whole. */
export function firstDifference(older: unknown, newer: unknown, at = '', reading: Reading = 'schema'): string {
  if (!isObject(older) || !isObject(newer)) return at;
  for (const key of new Set([...Object.keys(older), ...Object.keys(newer)])) {
    if (reading === 'schema' && key !== '$defs' && isAnnotation(key)) continue;
    const inner = readingBelow(reading, key);
    const place = memberPointer(at, key);
    if (Object.hasOwn(older, key) !== Object.hasOwn(newer, key)) return place;
    if (constraintText(older[key], inner) !== constraintText(newer[key], inner))
      return firstDifference(older[key], newer[key], place, inner);
  }
  return at;
}

/** True if the value contains a reference: its meaning then depends on the surrounding document. */
export function refersBack(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(refersBack);
  return isObject(value) && ('$ref' in value || Object.values(value).some(refersBack));
}
