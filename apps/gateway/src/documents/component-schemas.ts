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

const withoutId = ({ id: _id, ...schema }: Json): Json => schema;

/** A zod schema as JSON Schema with references to components. */
export function componentSchemas(type: z.ZodType, io: 'input' | 'output'): ComponentSchemas {
  const made = z.toJSONSchema(type, { io, unrepresentable: 'any' }) as Json;
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
