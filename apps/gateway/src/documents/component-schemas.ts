import { sha256Hex } from '@countersign/contracts';
import { z } from 'zod';

export type Json = Record<string, unknown>;

/** A schema for OpenAPI, and the named schemas that it refers to. */
export interface ComponentSchemas {
  schema: Json;
  components: Json;
}

const ANONYMOUS = /^__schema\d+$/;

/** The component name of a schema: its id (`.meta({ id })`). A recursive schema without an id gets a name from its content. */
const nameOf = (name: string, schema: unknown): string =>
  ANONYMOUS.test(name) ? `Recursive_${sha256Hex(JSON.stringify(schema)).slice(0, 8)}` : name;

/** `z.json()`: any JSON value, which is `{}` in a schema. Generators stop at a recursion that has no name. */
const ANY_JSON =
  /^\{"anyOf":\[\{"type":"string"\},\{"type":"number"\},\{"type":"boolean"\},\{"type":"null"\},\{"type":"array","items":\{"\$ref":"#\/\$defs\/(__schema\d+)"\}\}/;

/** Replaces each reference to the recursive JSON schema with `{}`. */
function openJson(made: Json): Json {
  const { $defs, ...own } = made as Json & { $defs?: Json };
  if (!$defs) return made;
  const open = Object.keys($defs).filter((name) => ANY_JSON.exec(JSON.stringify($defs[name]))?.[1] === name);
  const kept = Object.fromEntries(Object.entries($defs).filter(([name]) => !open.includes(name)));
  const text = open.reduce((all, name) => all.replaceAll(`{"$ref":"#/$defs/${name}"}`, '{}'), JSON.stringify({ ...own, $defs: kept }));
  return JSON.parse(text) as Json;
}

const withoutId = ({ id: _id, ...schema }: Json): Json => schema;

const isRequired = (type: z.core.$ZodType): boolean => type._zod.optin !== 'optional';

/** A tuple states its length instead of `items: false`, because OpenAPI tools accept no boolean schema. Its last items may be optional. */
function closedTuple({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Json }): void {
  const { prefixItems, items } = jsonSchema as { prefixItems?: unknown[]; items?: unknown };
  if (!prefixItems || items !== false) return;
  delete jsonSchema.items;
  const { items: types } = (zodSchema as z.core.$ZodTuple)._zod.def;
  jsonSchema.minItems = types.filter(isRequired).length;
  jsonSchema.maxItems = prefixItems.length;
}

/** Converts a zod schema to JSON Schema with references to components. */
export function componentSchemas(type: z.ZodType, io: 'input' | 'output'): ComponentSchemas {
  const made = openJson(z.toJSONSchema(type, { io, unrepresentable: 'any', override: closedTuple as never }) as Json);
  const names = new Map(Object.entries((made.$defs ?? {}) as Json).map(([name, schema]) => [name, nameOf(name, schema)]));
  const text = JSON.stringify(made).replace(
    /"#\/\$defs\/([^"]+)"/g,
    (_, name: string) => `"#/components/schemas/${names.get(name) ?? name}"`,
  );
  const { $schema: _dialect, $defs = {}, ...own } = JSON.parse(text) as Json & { $defs?: Record<string, Json> };
  const components = Object.fromEntries(Object.entries($defs).map(([name, schema]) => [names.get(name), withoutId(schema)]));
  const id = type.meta()?.id;
  if (id === undefined || own.$ref !== undefined) return { schema: own, components };
  return { schema: { $ref: `#/components/schemas/${id}` }, components: { ...components, [id]: withoutId(own) } };
}
