import type { JsonSchema } from '@countersign/contracts';
import { editDistance } from '../registry/nearest-names.js';
import { respelledDate } from './dates.js';
import type { RepairRule } from './repairs.js';

/** A value to try in place of another one. */
export interface Coercion {
  rule: RepairRule;
  value: unknown;
}

const NUMBER_TEXT = /^[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})(e[+-]?\d{1,2})?$/i;
const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'on', 'y', '1'].map((word) => [word, true] as const),
  ...['false', 'no', 'off', 'n', '0'].map((word) => [word, false] as const),
]);
const CHOICES_MAX = 1_000;
const CHOICE_LENGTH_MAX = 64;
const DISTANCE_MAX = 2;

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

/** The choices of a schema; undefined if it lists none. */
function choicesOf(schema: JsonSchema): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

/** The types of a schema; those of its choices if it declares none. `integer` counts as `number` too. */
function typesOf(schema: JsonSchema): ReadonlySet<string> {
  const declared = Array.isArray(schema.type) ? (schema.type as string[]) : typeof schema.type === 'string' ? [schema.type] : undefined;
  const types = new Set(declared ?? (choicesOf(schema) ?? []).slice(0, CHOICES_MAX).map(typeOf));
  if (types.has('integer')) types.add('number');
  return types;
}

function fromText(text: string, types: ReadonlySet<string>): Coercion[] {
  const trimmed = text.trim();
  const found: Coercion[] = [];
  if (types.has('number') && NUMBER_TEXT.test(trimmed)) found.push({ rule: 'number_from_text', value: Number(trimmed) });
  const word = WORDS.get(trimmed.toLowerCase());
  if (types.has('boolean') && word !== undefined) found.push({ rule: 'boolean_from_text', value: word });
  return found;
}

/** The nearest choice if it is the only one, within two edits and a third of its length. */
function nearestChoice(text: string, choices: readonly unknown[]): string | undefined {
  const wanted = text.trim().toLowerCase();
  if (choices.length > CHOICES_MAX || wanted === '' || wanted.length > CHOICE_LENGTH_MAX) return undefined;
  let nearest: string[] = [];
  let least = DISTANCE_MAX;
  for (const choice of choices) {
    if (typeof choice !== 'string' || choice.length > CHOICE_LENGTH_MAX) continue;
    const distance = editDistance(wanted, choice.toLowerCase());
    if (distance > Math.min(least, Math.floor(choice.length / 3))) continue;
    nearest = distance < least ? [choice] : [...nearest, choice];
    least = distance;
  }
  return nearest.length === 1 ? nearest[0] : undefined;
}

function ofText(text: string, schema: JsonSchema): Coercion[] {
  const types = typesOf(schema);
  const found = types.has('string') ? [] : fromText(text, types);
  const { format } = schema;
  const date = format === 'date' || format === 'date-time' ? respelledDate(text, format) : undefined;
  if (date !== undefined && date !== text) found.push({ rule: 'date_respelled', value: date });
  const choice = nearestChoice(text, choicesOf(schema) ?? []);
  if (choice !== undefined && choice !== text.trim()) found.push({ rule: 'nearest_choice', value: choice });
  if (text.trim() !== text) found.push({ rule: 'text_trimmed', value: text.trim() });
  return found;
}

/** What a value of one type may have meant, by one schema. None of them need be valid. */
export function coercionsOf(value: unknown, schema: JsonSchema): Coercion[] {
  const types = typesOf(schema);
  const found = typeof value === 'string' ? ofText(value, schema) : [];
  const is_scalar = typeof value === 'number' ? Number.isFinite(value) : typeof value === 'boolean';
  if (is_scalar && types.has('string') && !types.has(typeof value)) found.push({ rule: 'text_from_scalar', value: String(value) });
  if (types.has('array') && value !== null && !types.has(typeOf(value))) found.push({ rule: 'list_of_one', value: [value] });
  return found;
}
