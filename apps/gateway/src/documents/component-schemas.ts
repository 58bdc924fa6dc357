import { sha256Hex } from '@countersign/contracts';
import { z } from 'zod';

export type Json = Record<string, unknown>;

/** A schema as OpenAPI has it: itself, and the named ones that it refers to. */
export interface ComponentSchemas {
  schema: Json;
  components: Json;
}

const ANONYMOUS = /^__schema\d+$/;

/** Schemas with an id (`.meta({ id })`) have it as their name; recursive ones without get one of their content. */
const nameOf = (name: string, schema: unknown): string =>
  ANONYMOUS.test(name) ? `Recursive_${sha256Hex(JSON.stringify(schema)).slice(0, 8)}` : name;

/** `z.json()`: any JSON value, which is `{}` in a schema. Generators stop at a recursion that has no name. */
const ANY_JSON =
  /^\{"anyOf":\[\{"type":"string"\},\{"type":"number"\},\{"type":"boolean"\},\{"type":"null"\},\{"type":"array","items":\{"\$ref":"#\/\$defs\/(__schema\d+)"\}\}/;

/** The schema with `{}` for each reference to any JSON value. */
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

/** A tuple states its length, not `items: false`: readers of OpenAPI take no schema that is a boolean. Its last items may be optional. */
function closedTuple({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Json }): void {
  const { prefixItems, items } = jsonSchema as { prefixItems?: unknown[]; items?: unknown };
  if (!prefixItems || items !== false) return;
  delete jsonSchema.items;
  const { items: types } = (zodSchema as z.core.$ZodTuple)._zod.def;
  jsonSchema.minItems = types.filter(isRequired).length;
  jsonSchema.maxItems = prefixItems.length;
}

/** A zod schema as JSON Schema with references to components. */
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
