import type { JsonSchema } from '@countersign/contracts';
import { bounds, opaque } from '../../compatibility/keyword-rules.js';
import { SchemaContainment, type SchemaDifference } from '../../compatibility/schema-containment.js';

/** Whether each value of one schema is one of another: it does not fit, may not fit (only a value tells), or fits. */
export type Fit = { kind: 'fits' } | { kind: 'may_not_fit'; keyword: string } | { kind: 'does_not_fit'; reason: string };

/** The keyword that a difference is about, where only a value tells whether it holds: a limit, a pattern. */
function checkedByValue({ pointer }: SchemaDifference, keywords: readonly Readonly<Record<string, unknown>>[]): string | undefined {
  const [keyword = '', parent] = pointer.split('/').reverse();
  return parent !== 'properties' && keywords.some((known) => Object.hasOwn(known, keyword)) ? keyword : undefined;
}

function fit(inner: JsonSchema, target: JsonSchema, keywords: readonly Readonly<Record<string, unknown>>[]): Fit {
  const found = new SchemaContainment({ newer: 'inner', tolerant: false }).differences(inner, target);
  const hard = found.find((difference) => checkedByValue(difference, keywords) === undefined);
  if (hard) return { kind: 'does_not_fit', reason: `${hard.pointer}${hard.pointer === '' ? '' : ': '}${hard.message}` };
  const [soft] = found;
  return soft ? { kind: 'may_not_fit', keyword: checkedByValue(soft, keywords) as string } : { kind: 'fits' };
}

/** Of a value that is known only when it is there. */
export const schemaFit = (inner: JsonSchema, target: JsonSchema): Fit => fit(inner, target, [bounds, opaque]);

const isScalar = (value: unknown): boolean => value === null || typeof value !== 'object';

function schemaOfItems(items: readonly unknown[]): JsonSchema {
  if (items.length === 0) return { not: {} };
  if (items.every(isScalar)) return { enum: [...new Set(items)] };
  return items.length === 1 ? schemaOf(items[0]) : { anyOf: items.map(schemaOf) };
}

/** The schema of one value, part by part. */
function schemaOf(value: unknown): JsonSchema {
  if (Array.isArray(value)) return { type: 'array', minItems: value.length, maxItems: value.length, items: schemaOfItems(value) };
  if (value === null || typeof value !== 'object') return { const: value };
  const properties = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, schemaOf(member)]));
  return { type: 'object', properties, required: Object.keys(value), additionalProperties: false };
}

/** Of a literal: limits are compared with the value itself, and patterns when it runs. */
export function literalFit(value: unknown, target: JsonSchema): Fit {
  const is_listed = Object.hasOwn(target, 'const') || Array.isArray(target.enum);
  return fit(is_listed ? { const: value } : schemaOf(value), target, [opaque]);
}
