import { BOOL, DOUBLE, DYN, listOf, mapOf, STRING, type StaticType } from './static-type.js';

type Schema = Record<string, unknown>;

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
const COMBINED = ['$ref', 'anyOf', 'oneOf', 'allOf', 'if', 'not'];
const LEVELS_MAX = 8;

/** The static type of a JSON Schema, as far as the schema is simple; otherwise `dyn`. JSON numbers are doubles. */
export function schemaType(schema: unknown, name = 'inputs', level = 0): StaticType {
  if (!isSchema(schema) || level > LEVELS_MAX || COMBINED.some((word) => word in schema)) return DYN;
  switch (schema.type) {
    case 'string':
      return STRING;
    case 'boolean':
      return BOOL;
    case 'number':
    case 'integer':
      return DOUBLE;
    case 'array':
      return listOf(schemaType(schema.items, `${name}[]`, level + 1));
    case 'object':
      return objectType(schema, name, level);
    default:
      return DYN;
  }
}

function objectType(schema: Schema, name: string, level: number): StaticType {
  if (isSchema(schema.patternProperties)) return DYN;
  const { additionalProperties } = schema;
  if (!isSchema(schema.properties)) return isSchema(additionalProperties) ? mapOf(schemaType(additionalProperties, name, level + 1)) : DYN;
  const fields = Object.entries(schema.properties).map(([field, of]) => [field, schemaType(of, `${name}.${field}`, level + 1)] as const);
  return { kind: 'record', name, fields: new Map(fields), open: additionalProperties !== false };
}
