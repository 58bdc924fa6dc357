type Json = unknown;
const isObject = (value: Json): value is Record<string, Json> => typeof value === 'object' && value !== null && !Array.isArray(value);
const COMBINED = ['anyOf', 'oneOf', 'allOf', '$ref', 'if', 'patternProperties'] as const;

function partsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The schemas for the next path part; undefined if any value is allowed there. */
function stepInto(schema: Record<string, Json>, part: string): Json[] | undefined {
  const { properties, additionalProperties, items } = schema;
  if (!isObject(properties) && items === undefined && additionalProperties === undefined) return undefined;
  const own = isObject(properties)
    ? part === '*'
      ? Object.values(properties)
      : Object.hasOwn(properties, part)
        ? [properties[part]]
        : []
    : [];
  const isIndex = part === '*' || /^\d+$/.test(part);
  const more = isObject(additionalProperties) && own.length === 0 ? [additionalProperties] : [];
  return [...own, ...more, ...(isIndex && items !== undefined && items !== false ? [items] : [])];
}

function leads(schema: Json, parts: readonly string[]): boolean {
  const [part, ...rest] = parts;
  if (part === undefined || !isObject(schema) || COMBINED.some((keyword) => keyword in schema)) return schema !== false;
  const { type } = schema;
  if (typeof type === 'string' && type !== 'object' && type !== 'array') return false;
  const next = stepInto(schema, part);
  return next === undefined || next.some((one) => leads(one, rest));
}

/** True if a value of a schema may have a value at a JSON Pointer; `*` is any field or item. True if unknown. */
export function canReach(schema: Json, pointer: string): boolean {
  return leads(schema, partsOf(pointer));
}
