/** A control for one input, made from the input schema of the tool. `json`: what no simple control can show. */
export interface InputField {
  name: string;
  kind: 'text' | 'long_text' | 'number' | 'boolean' | 'choice' | 'json';
  description: string;
  is_required: boolean;
  choices: readonly string[];
}

/** More fields than this are edited as JSON. */
export const FIELDS_MAX = 40;
/** A longer text is edited as JSON, if at all: a field of it would be slow. */
export const FIELD_CHARACTERS_MAX = 20_000;
const LONG_TEXT = 80;

type Schema = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of a form for these inputs; undefined if the inputs have to be edited as JSON. */
export function fieldsOf(schema: unknown, inputs: unknown): InputField[] | undefined {
  if (!isObject(schema) || !isObject(inputs) || !isObject(schema.properties)) return undefined;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = schema.properties as Readonly<Record<string, unknown>>;
  const names = [...new Set([...Object.keys(properties), ...Object.keys(inputs)])];
  if (names.length === 0 || names.length > FIELDS_MAX) return undefined;
  return names.map((name) => {
    const property = Object.hasOwn(properties, name) && isObject(properties[name]) ? (properties[name] as Schema) : {};
    const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    const choices = Array.isArray(property.enum) ? property.enum.filter((one): one is string => typeof one === 'string') : [];
    return {
      name,
      kind: kindOf(property, value, choices),
      description: typeof property.description === 'string' ? property.description : '',
      is_required: required.includes(name),
      choices,
    };
  });
}

function kindOf({ type, enum: listed }: Schema, value: unknown, choices: readonly string[]): InputField['kind'] {
  const is_string = value === undefined || typeof value === 'string';
  if (Array.isArray(listed)) return choices.length === listed.length && choices.length > 0 && is_string ? 'choice' : 'json';
  if (type === 'string' && is_string) {
    if ((value?.length ?? 0) > FIELD_CHARACTERS_MAX) return 'json';
    return (value?.length ?? 0) > LONG_TEXT || value?.includes('\n') ? 'long_text' : 'text';
  }
  if ((type === 'number' || type === 'integer') && (value === undefined || typeof value === 'number')) return 'number';
  return type === 'boolean' && (value === undefined || typeof value === 'boolean') ? 'boolean' : 'json';
}

/** The inputs with one of them changed; `undefined` leaves it out. */
export function withInput(inputs: Readonly<Record<string, unknown>>, name: string, value: unknown): Record<string, unknown> {
  const entries = Object.entries(inputs).filter(([other]) => other !== name || value !== undefined);
  const changed = entries.map(([other, old]): [string, unknown] => [other, other === name ? value : old]);
  if (value !== undefined && !Object.hasOwn(inputs, name)) changed.push([name, value]);
  return Object.fromEntries(changed);
}

/** The inputs that a text of JSON contains, or what is wrong with it. */
export function parsedInputs(text: string): { inputs: Record<string, unknown> } | { fault: string } {
  try {
    const value = JSON.parse(text) as unknown;
    return isObject(value) ? { inputs: value } : { fault: 'Inputs are a JSON object: { "name": value }.' };
  } catch (cause) {
    return { fault: `This is not JSON: ${cause instanceof Error ? cause.message.slice(0, 200) : 'unknown fault'}` };
  }
}
