import type { JsonSchema } from '@countersign/contracts';
import fc from 'fast-check';

const DEPTH_MAX = 5;
const TEXT_MAX = 40;
const ITEMS_MAX = 5;

/** Generates JSON values that a schema admits (supports the keywords that zod emits; an unknown one gives any JSON). */
export function arbitraryInput(schema: JsonSchema): fc.Arbitrary<unknown> {
  return new Generator(schema).of(schema, 0);
}

class Generator {
  constructor(private readonly root: JsonSchema) {}

  of(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    if (depth > DEPTH_MAX) return fc.constant(null);
    if ('const' in schema) return fc.constant(schema.const);
    if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
    if (typeof schema.$ref === 'string') return this.of(this.resolve(schema.$ref), depth + 1);
    const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
    if (choices) return fc.oneof(...choices.map((choice) => this.of(choice, depth + 1)));
    if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => this.of({ ...schema, type }, depth + 1)));
    return this.typed(schema, depth);
  }

  private typed(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    if (schema.type === 'object') return this.object(schema, depth);
    if (schema.type === 'array') {
      const items = this.of((schema.items as JsonSchema | undefined) ?? {}, depth + 1);
      const minLength = numberOf(schema.minItems, 0);
      return fc.array(items, { minLength, maxLength: Math.min(numberOf(schema.maxItems, ITEMS_MAX), minLength + ITEMS_MAX) });
    }
    if (schema.type === 'string') return text(schema);
    if (schema.type === 'integer') return whole(schema);
    if (schema.type === 'number') return fc.double({ min: low(schema), max: high(schema), noNaN: true, noDefaultInfinity: true });
    if (schema.type === 'boolean') return fc.boolean();
    if (schema.type === 'null') return fc.constant(null);
    return fc.jsonValue({ maxDepth: 2 });
  }

  private object(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    const properties = Object.entries((schema.properties as Record<string, JsonSchema> | undefined) ?? {});
    const shape = Object.fromEntries(properties.map(([name, part]) => [name, this.of(part, depth + 1)]));
    const required = Array.isArray(schema.required) ? (schema.required as string[]) : [];
    return fc.record(shape, { requiredKeys: required, noNullPrototype: true });
  }

  private resolve(ref: string): JsonSchema {
    let node: unknown = this.root;
    for (const step of ref.replace(/^#\/?/, '').split('/').filter(Boolean)) node = (node as Record<string, unknown>)[step];
    return node as JsonSchema;
  }
}

function text(schema: JsonSchema): fc.Arbitrary<string> {
  const minLength = numberOf(schema.minLength, 0);
  const maxLength = Math.min(numberOf(schema.maxLength, TEXT_MAX), Math.max(minLength, TEXT_MAX));
  if (typeof schema.pattern === 'string') {
    const inBounds = (value: string) => value.length >= minLength && value.length <= numberOf(schema.maxLength, Number.MAX_SAFE_INTEGER);
    return fc.stringMatching(new RegExp(schema.pattern)).filter(inBounds);
  }
  if (schema.format === 'date-time') {
    return fc.date({ min: new Date(0), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true }).map((date) => date.toISOString());
  }
  return fc.string({ minLength, maxLength, unit: 'grapheme-composite' }).filter((value) => value.length <= maxLength);
}

function whole(schema: JsonSchema): fc.Arbitrary<number> {
  const min = Math.max(Math.ceil(low(schema)), Number.MIN_SAFE_INTEGER);
  const max = Math.min(Math.floor(high(schema)), Number.MAX_SAFE_INTEGER);
  // Small numbers are the most likely ones; the whole range is tried too.
  return fc.oneof(
    fc.integer({ min, max: Math.min(max, min + 1000) }),
    fc.maxSafeInteger().map((n) => Math.min(Math.max(n, min), max)),
  );
}

function low(schema: JsonSchema): number {
  return numberOf(schema.minimum, numberOf(schema.exclusiveMinimum, -1e9 - 1) + (schema.type === 'integer' ? 1 : Number.EPSILON));
}

function high(schema: JsonSchema): number {
  return numberOf(schema.maximum, numberOf(schema.exclusiveMaximum, 1e9 + 1) - (schema.type === 'integer' ? 1 : Number.EPSILON));
}

function numberOf(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}
