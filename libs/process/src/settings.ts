import { z } from 'zod';

/** The result of parsing the environment: all faults together, one line each, or the configuration. */
export type ParsedConfig<T> = { config: T } | { faults: string[] };

export type Environment = Readonly<Record<string, string | undefined>>;

const WHOLE = /^\s*\d{1,15}\s*$/;

/** A whole number in decimal digits. `Number` would also accept blanks as 0, 0x10 and 1e3. */
export function wholeNumber(min: number, max: number = Number.MAX_SAFE_INTEGER) {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  return z
    .string()
    .refine((text) => WHOLE.test(text) && Number(text) >= min && Number(text) <= max, `must be a whole number ${range}`)
    .meta({ variable_type: `whole number ${range}` })
    .transform(Number);
}

/** True or false; unset: false. */
export const flag = z
  .enum(['true', 'false', '1', '0'])
  .meta({ variable_type: '`true` or `false`' })
  .default('false')
  .transform((text) => text === 'true' || text === '1');

/** The items of a comma-separated list; empty items (a comma at the end) are dropped. */
export function itemsOf(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** A comma-separated list. */
export const list = (fallback: string) =>
  z.string().meta({ variable_type: 'list, separated by commas' }).default(fallback).transform(itemsOf);

/** A zod error as one line for each variable. */
function faultLines(error: z.ZodError): string[] {
  return error.issues.map((issue) => `${issue.path.join('.') || 'environment'}: ${issue.message}`);
}

/** Faults of variables that are set to white space only, which is always a mistake. */
export function blankFaults(env: Environment, variables: readonly string[]): string[] {
  const blank = variables.filter((name) => env[name] && env[name].trim() === '');
  return blank.map((name) => `${name}: is blank; set a value or leave it unset`);
}

/** Reads the variables of a schema. An empty value counts as unset; white space only is a fault. */
export function readSettings<S extends z.ZodRawShape>(schema: z.ZodObject<S>, env: Environment): ParsedConfig<z.output<z.ZodObject<S>>> {
  const names = Object.keys(schema.shape);
  const blank = blankFaults(env, names);
  const given = names.filter((name) => env[name] !== undefined && env[name].trim() !== '');
  const parsed = schema.safeParse(Object.fromEntries(given.map((name) => [name, env[name]])));
  if (parsed.success && blank.length === 0) return { config: parsed.data };
  return { faults: [...blank, ...(parsed.success ? [] : faultLines(parsed.error))] };
}
