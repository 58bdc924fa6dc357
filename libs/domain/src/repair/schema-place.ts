import { isNode, type JsonSchema } from '@countersign/contracts';

/** Parts of a schema that are looked at for one place. */
const PARTS_MAX = 100;
const INDEX = /^\d{1,6}$/;

/** The part of a schema that a local reference names; undefined for any other reference. */
function target(root: JsonSchema, ref: unknown): unknown {
  if (ref === '#') return root;
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const part of ref
    .slice(2)
    .split('/')
    .map((text) => text.replaceAll('~1', '/').replaceAll('~0', '~'))) {
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, part)) return undefined;
    at = (at as Record<string, unknown>)[part];
  }
  return at;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The schemas that apply to the same value: references, all of `allOf` and each alternative. */
function applied(root: JsonSchema, schemas: readonly unknown[]): JsonSchema[] {
  const found = new Set<JsonSchema>();
  const open = [...schemas];
  for (let at = 0; at < open.length && found.size < PARTS_MAX; at++) {
    const next = open[at];
    if (!isNode(next) || found.has(next)) continue;
    found.add(next);
    const { $ref, allOf, anyOf, oneOf } = next;
    open.push(target(root, $ref), ...[allOf, anyOf, oneOf].flatMap(listOf).slice(0, PARTS_MAX));
  }
  return [...found];
}

function below(schema: JsonSchema, part: string): unknown {
  const { properties, additionalProperties, prefixItems, items } = schema;
  if (isNode(properties) && Object.hasOwn(properties, part)) return properties[part];
  if (isNode(additionalProperties)) return additionalProperties;
  return INDEX.test(part) ? (listOf(prefixItems)[Number(part)] ?? items) : undefined;
}

/** What a schema says of one value. */
export interface SchemaPlace {
  /** All schemas that may apply to it. */
  schemas: readonly JsonSchema[];
  /** The object that it is a member of must have it. */
  is_required: boolean;
}

export function schemaPlace(root: JsonSchema, parts: readonly string[]): SchemaPlace {
  let schemas = applied(root, [root]);
  let is_required = false;
  for (const part of parts) {
    is_required = schemas.some(({ required }) => listOf(required).includes(part));
    schemas = applied(
      root,
      schemas.map((schema) => below(schema, part)),
    );
  }
  return { schemas, is_required };
}
