/** A JSON Schema, as the author of a tool wrote it: nothing in it is trusted. */
export type Schema = Readonly<Record<string, unknown>>;

const REFERENCES_MAX = 16;
const PARTS_MAX = 16;
const MERGE_DEPTH_MAX = 6;

/** A schema, or an empty one for what is none (`true`, a fault of its author). */
export const schemaOf = (value: unknown): Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {};

/** Own members only: a property may have the name `__proto__` or `constructor`. */
export const ownMember = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;

export const textOf = (schema: Schema, name: string): string | undefined => {
  const value = ownMember(schema, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

export const numberOf = (schema: Schema, name: string): number | undefined => {
  const value = ownMember(schema, name);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

export const listOf = (schema: Schema, name: string): readonly unknown[] | undefined => {
  const value = ownMember(schema, name);
  return Array.isArray(value) ? value : undefined;
};

/**
 * The schema with its references followed and its `allOf` put together; undefined for a reference that leads nowhere, in a circle or
 * outside. Only this level: what stands below is resolved when it is shown, so that a schema that contains itself ends.
 */
export function resolved(schema: Schema, root: Schema, depth = 0): Schema | undefined {
  let found = schema;
  for (let steps = 0; Object.hasOwn(found, '$ref'); steps += 1) {
    const target = steps < REFERENCES_MAX ? targetOf(found.$ref, root) : undefined;
    if (!target) return undefined;
    const { $ref: _, ...beside } = found;
    found = merged(target, beside);
  }
  const parts = listOf(found, 'allOf');
  if (!parts) return found;
  if (depth >= MERGE_DEPTH_MAX || parts.length > PARTS_MAX) return undefined;
  const { allOf: _, ...rest } = found;
  let whole: Schema = rest;
  for (const part of parts) {
    const next = resolved(schemaOf(part), root, depth + 1);
    if (!next) return undefined;
    whole = merged(whole, next);
  }
  return whole;
}

/** Two schemas that both must hold; what the second one says counts, and properties and required names are joined. */
export function merged(first: Schema, second: Schema): Schema {
  const properties = { ...schemaOf(first.properties), ...schemaOf(second.properties) };
  const required = [...new Set([...(listOf(first, 'required') ?? []), ...(listOf(second, 'required') ?? [])])];
  return {
    ...first,
    ...second,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** The schema at a local reference (`#/$defs/address`). */
function targetOf(reference: unknown, root: Schema): Schema | undefined {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference) || reference.length > 500) return undefined;
  let found: unknown = root;
  for (const part of reference.slice(1).split('/').slice(1)) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    found = Array.isArray(found) ? found[Number(name)] : ownMember(found, name);
    if (typeof found !== 'object' || found === null) return undefined;
  }
  return schemaOf(found);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
