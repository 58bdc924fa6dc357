import { isNode, type JsonSchema, subschemas } from '@countersign/contracts';

const SAYS_IT_ALL = ['enum', 'const', '$ref'] as const;
const ALTERNATIVE = /^(anyOf|oneOf)\//;

/** Pointers of the values that a schema leaves untyped: `/` for the value itself, `/a/*` for all other properties of `/a`. */
export function untypedParts(schema: unknown, path = ''): string[] {
  if (isOpen(schema, undefined)) return [path || '/'];
  return isNode(schema) ? [...new Set(inside(schema, path))] : [];
}

function inside(schema: JsonSchema, path: string): string[] {
  const found = schema.additionalProperties === true ? [`${path}/*`] : [];
  for (const part of subschemas(schema)) {
    if (part.slot === null) found.push(...(isNode(part.schema) && saysMore(schema, part.path) ? inside(part.schema, path) : []));
    else if (part.slot === 'names' || part.path === 'contains') continue;
    else if (part.schema === true && part.path === 'additionalProperties') continue;
    else found.push(...untypedParts(part.schema, `${path}/${part.path.split('/').at(-1)}`));
  }
  return found;
}

/**
 * Whether another schema at the same place describes what this schema does not: otherwise that schema, and every condition, only narrows
 * it.
 */
function saysMore(schema: JsonSchema, path: string): boolean {
  return ALTERNATIVE.test(path) || (path.startsWith('allOf/') && !('properties' in schema) && !('items' in schema));
}

/** Whether a value may be anything, or any value of one of its types. `above` are the types declared at the place itself. */
function isOpen(schema: unknown, above: readonly unknown[] | undefined): boolean {
  if (!isNode(schema)) return schema === true;
  if (SAYS_IT_ALL.some((keyword) => keyword in schema)) return false;
  const types = schema.type === undefined ? above : [schema.type].flat();
  if (types?.every((type) => isShaped(schema, type))) return false;
  const open = (part: unknown) => isOpen(part, types);
  if (listOf(schema.allOf).some((part) => !open(part))) return false;
  return ![schema.anyOf, schema.oneOf].map(listOf).some((list) => list.length > 0 && !list.some(open));
}

function isShaped(schema: JsonSchema, type: unknown): boolean {
  if (type === 'object') {
    const rest = ['additionalProperties', 'unevaluatedProperties'].some((keyword) => keyword in schema && schema[keyword] !== true);
    return rest || ['properties', 'patternProperties'].some((keyword) => Object.keys(schema[keyword] ?? {}).length > 0);
  }
  return type !== 'array' || ('items' in schema && schema.items !== true) || listOf(schema.prefixItems).length > 0;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
