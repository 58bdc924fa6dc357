import { listOf, numberOf, type Schema, textOf } from './schema.js';

/** The bounds of a schema in words: `1 to 200 characters`, `at least 0`, `date-time`. Patterns are shown, never run: they may be hostile. */
export function constraintsOf(schema: Schema): string[] {
  const format = textOf(schema, 'format');
  const pattern = textOf(schema, 'pattern');
  return [
    ...(format ? [format] : []),
    ...range(schema, 'minLength', 'maxLength', 'characters'),
    ...range(schema, 'minimum', 'maximum', ''),
    ...bound(schema, 'exclusiveMinimum', 'more than'),
    ...bound(schema, 'exclusiveMaximum', 'less than'),
    ...bound(schema, 'multipleOf', 'multiple of'),
    ...range(schema, 'minItems', 'maxItems', 'items'),
    ...(schema.uniqueItems === true ? ['no item twice'] : []),
    ...range(schema, 'minProperties', 'maxProperties', 'fields'),
    ...(pattern ? [`pattern ${pattern}`] : []),
  ];
}

/** Whether a member must be there. */
export const isRequired = (schema: Schema, name: string): boolean => (listOf(schema, 'required') ?? []).includes(name);

function bound(schema: Schema, name: string, words: string): string[] {
  const value = numberOf(schema, name);
  return value === undefined ? [] : [`${words} ${number(value)}`];
}

function range(schema: Schema, least: string, most: string, unit: string): string[] {
  const min = said(numberOf(schema, least));
  const max = said(numberOf(schema, most));
  const end = unit === '' ? '' : ` ${unit}`;
  if (min !== undefined && max !== undefined) return [min === max ? `${number(min)}${end}` : `${number(min)} to ${number(max)}${end}`];
  if (min !== undefined) return [`at least ${number(min)}${end}`];
  return max === undefined ? [] : [`at most ${number(max)}${end}`];
}

/** The bounds of whole numbers themselves say nothing. */
const said = (value: number | undefined): number | undefined =>
  value !== undefined && Math.abs(value) >= Number.MAX_SAFE_INTEGER ? undefined : value;

const number = (value: number): string => (Number.isInteger(value) ? value.toLocaleString('en') : String(value));
