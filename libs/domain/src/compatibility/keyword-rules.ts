import type { JsonSchema } from '@countersign/contracts';
import { constraintText, isObject, refersBack } from './schema-node.js';

export type JsonType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object' | 'integer';

const allTypes: readonly JsonType[] = ['null', 'boolean', 'number', 'string', 'array', 'object'];

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : (typeof value as JsonType);
}

/** The values that `enum` or `const` allow; undefined if the schema has neither. */
export function valuesOf(schema: JsonSchema): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

/** The types that a value of this schema may have. */
export function typesOf(schema: JsonSchema): readonly JsonType[] {
  const { type } = schema;
  if (typeof type === 'string') return [type as JsonType];
  if (Array.isArray(type)) return type as JsonType[];
  return valuesOf(schema)?.map(typeOf) ?? allTypes;
}

export const coversType = (types: readonly JsonType[], type: JsonType): boolean =>
  types.includes(type) || (type === 'integer' && types.includes('number'));

/** How a numeric bound is compared: `within` is true if `inner` is at least as narrow as `outer`. */
interface Bound {
  /** Applies to values of this type only. */
  type: JsonType;
  within(inner: number, outer: number): boolean;
}

const atLeast = (type: JsonType): Bound => ({ type, within: (inner, outer) => inner >= outer });
const atMost = (type: JsonType): Bound => ({ type, within: (inner, outer) => inner <= outer });

export const bounds: Readonly<Record<string, Bound>> = {
  minimum: atLeast('number'),
  exclusiveMinimum: atLeast('number'),
  maximum: atMost('number'),
  exclusiveMaximum: atMost('number'),
  minLength: atLeast('string'),
  maxLength: atMost('string'),
  minItems: atLeast('array'),
  maxItems: atMost('array'),
  minProperties: atLeast('object'),
  maxProperties: atMost('object'),
  multipleOf: { type: 'number', within: (inner, outer) => Number.isInteger(inner / outer) },
};

/** Keywords that are compared as text only: if the texts differ, the schemas count as different. */
export const opaque: Readonly<Record<string, JsonType | 'any'>> = {
  pattern: 'string',
  format: 'string',
  contentEncoding: 'string',
  contentMediaType: 'string',
  contains: 'array',
  minContains: 'array',
  maxContains: 'array',
  uniqueItems: 'array',
  unevaluatedItems: 'array',
  patternProperties: 'object',
  propertyNames: 'object',
  dependentRequired: 'object',
  dependentSchemas: 'object',
  unevaluatedProperties: 'object',
  not: 'any',
  if: 'any',
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  then: 'any',
  else: 'any',
  $dynamicRef: 'any',
};

const lax = (keyword: string, value: unknown): boolean => keyword === 'uniqueItems' && value === false;

/** True if this keyword of `outer` holds for every value of `inner`. Considers only this keyword of both schemas. */
export function keywordHolds(keyword: string, inner: JsonSchema, outer: JsonSchema): boolean {
  const wanted = outer[keyword];
  const bound = bounds[keyword];
  const type = bound?.type ?? opaque[keyword];
  if (type === undefined || lax(keyword, wanted)) return true;
  if (type !== 'any' && !typesOf(inner).some((mine) => mine === type || (type === 'number' && mine === 'integer'))) return true;
  const given = inner[keyword];
  if (bound)
    return typeof given === 'number' && typeof wanted === 'number' ? bound.within(given, wanted) : boundByValues(keyword, inner, wanted);
  return given !== undefined && constraintText(given) === constraintText(wanted) && !refersBack(given);
}

/** A bound holds for an enumeration if every value satisfies it. */
function boundByValues(keyword: string, inner: JsonSchema, wanted: unknown): boolean {
  const values = valuesOf(inner);
  return values !== undefined && typeof wanted === 'number' && values.every((value) => keepsBound(keyword, value, wanted));
}

function keepsBound(keyword: string, value: unknown, wanted: number): boolean {
  if (typeof value === 'string') {
    const { length } = [...value];
    if (keyword === 'minLength') return length >= wanted;
    if (keyword === 'maxLength') return length <= wanted;
    return bounds[keyword]?.type !== 'string';
  }
  if (typeof value !== 'number') return bounds[keyword]?.type !== 'number' && !isObject(value) && !Array.isArray(value);
  if (keyword === 'exclusiveMinimum') return value > wanted;
  if (keyword === 'exclusiveMaximum') return value < wanted;
  const bound = bounds[keyword];
  return bound?.type !== 'number' || bound.within(value, wanted);
}
