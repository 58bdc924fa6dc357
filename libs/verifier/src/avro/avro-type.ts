/** The part of Avro that the schemas of events use. Unions are those of null and one other type. */
export type AvroType =
  | { kind: 'null' | 'boolean' | 'int' | 'long' | 'double' | 'string' | 'bytes' }
  | { kind: 'optional'; of: AvroType }
  | { kind: 'array'; items: AvroType }
  | { kind: 'enum'; symbols: readonly string[]; default: string | undefined }
  | { kind: 'record'; name: string; fields: AvroField[] };

export interface AvroField {
  name: string;
  type: AvroType;
  /** Absent: a value must be there. */
  default?: { value: unknown };
}

type Definition = {
  type?: unknown;
  name?: string;
  namespace?: string;
  fields?: { name: string; type: unknown; default?: unknown }[];
  symbols?: string[];
  items?: unknown;
  default?: unknown;
};

const PRIMITIVES = new Set(['null', 'boolean', 'int', 'long', 'double', 'string', 'bytes']);
const NAMESPACE = 'countersign';

/** The type of a schema text. @throws RangeError for what events do not use */
export function parseAvro(schema: string): AvroType & { kind: 'record' } {
  const type = typeOf(JSON.parse(schema), new Map());
  if (type.kind !== 'record') throw new RangeError('an event is a record');
  return type;
}

function typeOf(schema: unknown, named: Map<string, AvroType>): AvroType {
  if (typeof schema === 'string') return namedType(schema, named);
  if (Array.isArray(schema)) return optionalType(schema, named);
  const definition = schema as Definition;
  const { type } = definition;
  if (type === 'record') return recordType(definition, named);
  if (type === 'enum') return enumType(definition, named);
  if (type === 'array') return { kind: 'array', items: typeOf(definition.items, named) };
  return typeOf(type, named);
}

function namedType(name: string, named: Map<string, AvroType>): AvroType {
  if (PRIMITIVES.has(name)) return { kind: name as 'null' };
  const found = named.get(fullName(name, undefined));
  if (!found) throw new RangeError(`the type ${name} is not defined`);
  return found;
}

function optionalType(branches: readonly unknown[], named: Map<string, AvroType>): AvroType {
  const [first, second] = branches;
  if (branches.length !== 2 || first !== 'null') throw new RangeError('a union is of null and one other type');
  return { kind: 'optional', of: typeOf(second, named) };
}

function recordType({ name, namespace, fields = [] }: Definition, named: Map<string, AvroType>): AvroType {
  const record: AvroType & { kind: 'record' } = { kind: 'record', name: fullName(name, namespace), fields: [] };
  named.set(record.name, record);
  for (const field of fields) {
    const type = typeOf(field.type, named);
    record.fields.push(
      Object.hasOwn(field, 'default') ? { name: field.name, type, default: { value: field.default } } : { name: field.name, type },
    );
  }
  return record;
}

function enumType({ name, namespace, symbols = [], default: other }: Definition, named: Map<string, AvroType>): AvroType {
  const type: AvroType = { kind: 'enum', symbols, default: other as string | undefined };
  named.set(fullName(name, namespace), type);
  return type;
}

const fullName = (name = '', namespace = NAMESPACE): string => (name.includes('.') ? name : `${namespace}.${name}`);
