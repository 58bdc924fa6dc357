import type { Values } from '../hermes/port.js';
import { refused } from '../hermes/refusal.js';

/** What `fields_get` says about a field. */
export interface FieldType {
  type: string;
  relation?: string | undefined;
}

/** The fields of a model by name; undefined: it has no such field. */
export type FieldTypes = (model: string) => Promise<ReadonlyMap<string, FieldType>>;

const DECIMAL = /^-?\d{1,15}(\.\d{1,12})?$/;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const MOMENT = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2}):(\d{2})/;
const COMMANDS = ['create', 'write'];

/** An ISO date in the encoding of Tryton; undefined: it is none. */
export function dateOf(iso: string): Values | undefined {
  const [, year, month, day] = (DATE.exec(iso) ?? []).map(Number);
  return year === undefined ? undefined : { __class__: 'date', year, month, day };
}

/** Values in the encoding of Tryton's JSON-RPC, by the types of the fields: decimals and dates are exact. @throws ToolError for a field that the model lacks */
export async function encoded(model: string, values: Values, types: FieldTypes): Promise<Values> {
  const known = await types(model);
  const all = Object.entries(values).map(async ([name, value]) => {
    const type = known.get(name);
    if (!type) throw refused(`/${name}`, 'unknown_field', `is no field of ${model}: add a rule to the mapping`);
    return [name, await encodedValue(name, type, value, types)] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}

async function encodedValue(name: string, { type, relation }: FieldType, value: unknown, types: FieldTypes): Promise<unknown> {
  if (value === null || value === undefined) return null;
  const wrong = () => refused(`/${name}`, 'wrong_type', `${JSON.stringify(value).slice(0, 100)} is no ${type}`);
  switch (type) {
    case 'numeric':
      if (!DECIMAL.test(String(value))) throw wrong();
      return { __class__: 'Decimal', decimal: String(value) };
    case 'date': {
      const date = dateOf(String(value));
      if (!date) throw wrong();
      return date;
    }
    case 'datetime':
    case 'timestamp': {
      const [, year, month, day, hour, minute, second] = (MOMENT.exec(String(value)) ?? []).map(Number);
      if (!year) throw wrong();
      return { __class__: 'datetime', year, month, day, hour, minute, second, microsecond: 0 };
    }
    case 'many2one':
      if (!/^\d{1,15}$/.test(String(value))) throw wrong();
      return Number(value);
    case 'one2many':
    case 'many2many':
      if (!Array.isArray(value)) throw wrong();
      return Promise.all(value.map((command) => encodedCommand(name, relation as string, command, types)));
    default:
      return value;
  }
}

/** `['create', [{…}]]` or `['write', [id], {…}]`; others would remove what people entered. */
async function encodedCommand(name: string, relation: string, command: unknown, types: FieldTypes): Promise<unknown[]> {
  if (!Array.isArray(command) || !COMMANDS.includes(command[0] as string))
    throw refused(`/${name}`, 'wrong_command', 'has a command that is not allowed');
  const [verb, ...rest] = command as [string, ...unknown[]];
  if (verb === 'write') return [verb, rest[0], await encoded(relation, rest[1] as Values, types)];
  return [verb, await Promise.all((rest[0] as Values[]).map((item) => encoded(relation, item, types)))];
}

/** A value of Tryton as plain JSON: decimals as text, dates in ISO. Bytes are left out. */
export function decoded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decoded);
  if (value === null || typeof value !== 'object') return value;
  const { __class__: kind, ...parts } = value as Record<string, unknown>;
  const two = (part: unknown) => String(part).padStart(2, '0');
  const date = () => `${String(parts.year).padStart(4, '0')}-${two(parts.month)}-${two(parts.day)}`;
  switch (kind) {
    case undefined:
      return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, decoded(part)]));
    case 'Decimal':
      return parts.decimal;
    case 'date':
      return date();
    case 'datetime':
      return `${date()}T${two(parts.hour)}:${two(parts.minute)}:${two(parts.second)}Z`;
    default:
      return null;
  }
}
