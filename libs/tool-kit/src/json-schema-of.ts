import { type JsonSchema, schemaFaults } from '@countersign/contracts';
import { z } from 'zod';

/** How an author may write a shape: zod 4, or JSON Schema 2020-12. */
export type Shape = z.ZodType | JsonSchema;

export function isZod(shape: Shape): shape is z.ZodType {
  return '_zod' in shape;
}

/**
 * The JSON Schema 2020-12 of a shape, as plain JSON. Objects that list properties without `additionalProperties` are closed
 * (`additionalProperties: false`): an unknown field is an error of the caller and never silently dropped.
 * @throws if zod has no JSON Schema for it (dates, bigints, transforms).
 */
export function jsonSchemaOf(shape: Shape, side: 'input' | 'output'): JsonSchema {
  const raw = isZod(shape) ? z.toJSONSchema(shape, { target: 'draft-2020-12', io: side, override: leaveToFormat }) : harmless(shape);
  const schema = JSON.parse(JSON.stringify(raw)) as JsonSchema;
  delete schema.$schema;
  return closed(schema) as JsonSchema;
}

/**
 * zod's own pattern for an IPv6 address is ambiguous, so a match may backtrack; the format means the same and is checked by hand-written
 * code.
 */
function leaveToFormat({ jsonSchema }: { jsonSchema: { format?: unknown; pattern?: unknown } }): void {
  if (jsonSchema.format === 'ipv6') delete jsonSchema.pattern;
}

/** Hand-written schemas are checked before they are traversed. */
function harmless(schema: JsonSchema): JsonSchema {
  const faults = schemaFaults(schema);
  if (faults.length > 0) throw new TypeError(`a schema is not valid: ${faults.join('; ')}`);
  return schema;
}

function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (node === null || typeof node !== 'object') return node;
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node))
    out[key] = key === 'const' || key === 'default' || key === 'enum' ? value : closed(value);
  // A part of an allOf must stay open, or its siblings' fields would be refused.
  if (out.type === 'object' && isObject(out.properties) && out.additionalProperties === undefined && out.allOf === undefined) {
    out.additionalProperties = false;
  }
  return out;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
