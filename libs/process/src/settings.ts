import { z } from 'zod';

/** What a parser of the environment answers: all faults together, one line each, or the configuration. */
export type ParsedConfig<T> = { config: T } | { faults: string[] };

export type Environment = Readonly<Record<string, string | undefined>>;

const WHOLE = /^\s*\d{1,15}\s*$/;

/** A whole number in digits, as a variable has it. `Number` would take a blank for 0, and 0x10 and 1e3, too. */
export function wholeNumber(min: number, max: number = Number.MAX_SAFE_INTEGER) {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  return z
    .string()
    .refine((text) => WHOLE.test(text) && Number(text) >= min && Number(text) <= max, `must be a whole number ${range}`)
    .meta({ variable_type: `whole number ${range}` })
    .transform(Number);
}

/** Yes or no; unset: no. */
export const flag = z
  .enum(['true', 'false', '1', '0'])
  .meta({ variable_type: '`true` or `false`' })
  .default('false')
  .transform((text) => text === 'true' || text === '1');

/** The items of a list with commas between; what is no item (a comma at the end) is left out. */
export function itemsOf(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** A list with commas between. */
export const list = (fallback: string) =>
  z.string().meta({ variable_type: 'list, separated by commas' }).default(fallback).transform(itemsOf);

/** A zod error as one line a variable. */
function faultLines(error: z.ZodError): string[] {
  return error.issues.map((issue) => `${issue.path.join('.') || 'environment'}: ${issue.message}`);
}

/** What is wrong with variables that are set to nothing but white space: who sets one so means something else. */
export function blankFaults(env: Environment, variables: readonly string[]): string[] {
  const blank = variables.filter((name) => env[name] && env[name].trim() === '');
  return blank.map((name) => `${name}: is blank; set a value or leave it unset`);
}

/** The variables of a schema. One that is set to the empty text is not set; a blank one is a fault. */
export function readSettings<S extends z.ZodRawShape>(schema: z.ZodObject<S>, env: Environment): ParsedConfig<z.output<z.ZodObject<S>>> {
  const names = Object.keys(schema.shape);
  const blank = blankFaults(env, names);
  const given = names.filter((name) => env[name] !== undefined && env[name].trim() !== '');
  const parsed = schema.safeParse(Object.fromEntries(given.map((name) => [name, env[name]])));
  if (parsed.success && blank.length === 0) return { config: parsed.data };
  return { faults: [...blank, ...(parsed.success ? [] : faultLines(parsed.error))] };
}
