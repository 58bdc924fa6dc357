import { listOf, merged, numberOf, ownMember, resolved, type Schema, schemaOf, textOf } from './schema.js';

/** A property of an object in the form. */
export interface Member {
  name: string;
  schema: Schema;
  is_required: boolean;
}

/** One of the forms that a value may have. */
export interface Variant {
  label: string;
  schema: Schema;
}

/** How a value is edited: one level of a schema. `schema` has its references followed. */
export type FormNode = { schema: Schema } & (
  | { kind: 'text'; input: 'line' | 'area' | 'date' | 'email' | 'url' }
  | { kind: 'number'; is_integer: boolean }
  | { kind: 'boolean' }
  | { kind: 'choice'; options: readonly unknown[] }
  | { kind: 'constant'; value: unknown }
  /** `extra`: the schema of further members, if they are allowed. */
  | { kind: 'object'; members: readonly Member[]; extra: Schema | undefined }
  | { kind: 'list'; items: Schema }
  | { kind: 'variants'; variants: readonly Variant[] }
  /** What a form cannot show is written as JSON. */
  | { kind: 'json'; reason: string }
);

/** Deeper values are written as JSON. */
export const FORM_DEPTH_MAX = 10;
const OPTIONS_MAX = 500;
const VARIANTS_MAX = 30;
/** A text that may be longer gets several lines. */
const LINE_CHARACTERS = 200;

/** How a value of this schema is edited. Reads one level only. */
export function nodeOf(raw: unknown, root: Schema, depth = 0): FormNode {
  const schema = resolved(schemaOf(raw), root);
  if (!schema) return { kind: 'json', schema: schemaOf(raw), reason: 'its schema refers to itself or to another document' };
  if (depth > FORM_DEPTH_MAX) return { kind: 'json', schema, reason: 'it is nested too deep for a form' };
  if (Object.hasOwn(schema, 'const')) return { kind: 'constant', schema, value: schema.const };
  const options = listOf(schema, 'enum');
  if (options) {
    const is_short = options.length > 0 && options.length <= OPTIONS_MAX;
    return is_short ? { kind: 'choice', schema, options } : { kind: 'json', schema, reason: 'it has too many possible values for a list' };
  }
  return variantsNode(schema, root, depth) ?? typedNode(schema);
}

function variantsNode(schema: Schema, root: Schema, depth: number): FormNode | undefined {
  const { oneOf, anyOf, ...base } = schema as Record<string, unknown>;
  const given = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : undefined;
  const own = given?.map(schemaOf) ?? listOf(schema, 'type')?.map((type) => ({ type }));
  if (own === undefined) return undefined;
  if (own.length === 0 || own.length > VARIANTS_MAX) return { kind: 'json', schema, reason: 'it has too many possible forms for a list' };
  const schemas = own.map((one) => merged(base, one));
  if (schemas.length === 1) return nodeOf(schemas[0], root, depth + 1);
  const labels = own.map((one, at) => variantLabel(resolved(one, root) ?? one, at));
  const variants = schemas.map((one, at) => ({ label: distinct(labels, at), schema: one }));
  return { kind: 'variants', schema, variants };
}

/** A number behind the labels that are not the first of their kind. */
function distinct(labels: readonly string[], at: number): string {
  const label = labels[at] as string;
  const before = labels.slice(0, at).filter((other) => other === label).length;
  return before === 0 ? label : `${label} (${before + 1})`;
}

/** A title, the constant that tells the forms apart, the names that it needs, or the type. */
function variantLabel(schema: Schema, at: number): string {
  const title = textOf(schema, 'title');
  if (title) return title;
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(schema.const);
  for (const [name, member] of Object.entries(schemaOf(schema.properties)).slice(0, 50)) {
    const constant = ownMember(member, 'const');
    if (typeof constant === 'string') return `${name}: ${constant}`;
  }
  const names = (listOf(schema, 'required') ?? []).filter((name) => typeof name === 'string').slice(0, 3);
  if (names.length > 0) return `with ${names.join(', ')}`;
  return typeWord(schema) ?? `form ${at + 1}`;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'true or false',
  object: 'object',
  array: 'list',
  null: 'no value (null)',
};

/** The type of a schema in a word; undefined where it says none. */
export const typeWord = (schema: Schema): string | undefined => {
  const type = typeOf(schema);
  return type !== undefined && Object.hasOwn(TYPE_WORDS, type) ? TYPE_WORDS[type] : undefined;
};

/** The type that a schema names, or the one that its other words need. */
export function typeOf(schema: Schema): string | undefined {
  if (typeof schema.type === 'string') return schema.type;
  if (Object.hasOwn(schema, 'properties')) return 'object';
  return Object.hasOwn(schema, 'items') ? 'array' : undefined;
}

function typedNode(schema: Schema): FormNode {
  switch (typeOf(schema)) {
    case 'string':
      return { kind: 'text', schema, input: textInput(schema) };
    case 'number':
    case 'integer':
      return { kind: 'number', schema, is_integer: schema.type === 'integer' };
    case 'boolean':
      return { kind: 'boolean', schema };
    case 'null':
      return { kind: 'constant', schema, value: null };
    case 'object':
      return objectNode(schema);
    case 'array':
      if (Object.hasOwn(schema, 'prefixItems') || Array.isArray(schema.items))
        return { kind: 'json', schema, reason: 'each place of the list has a schema of its own' };
      return { kind: 'list', schema, items: schemaOf(schema.items) };
    default:
      return { kind: 'json', schema, reason: 'its schema names no type' };
  }
}

function objectNode(schema: Schema): FormNode {
  const required = new Set(listOf(schema, 'required') ?? []);
  const members = Object.entries(schemaOf(schema.properties)).map(([name, member]) => ({
    name,
    schema: schemaOf(member),
    is_required: required.has(name),
  }));
  const extra = schema.additionalProperties === false ? undefined : schemaOf(schema.additionalProperties);
  if (members.length === 0 && extra !== undefined && Object.keys(extra).length === 0)
    return { kind: 'json', schema, reason: 'it may have any fields' };
  return {
    kind: 'object',
    schema,
    members: [...members.filter((one) => one.is_required), ...members.filter((one) => !one.is_required)],
    extra,
  };
}

function textInput(schema: Schema): 'line' | 'area' | 'date' | 'email' | 'url' {
  const format = textOf(schema, 'format');
  if (format === 'date' || format === 'email') return format;
  if (format === 'uri' || format === 'url') return 'url';
  if (format !== undefined) return 'line';
  return (numberOf(schema, 'maxLength') ?? Number.POSITIVE_INFINITY) > LINE_CHARACTERS ? 'area' : 'line';
}
