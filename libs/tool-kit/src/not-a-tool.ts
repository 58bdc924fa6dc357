import { isNode, isReadOnly, type JsonSchema, subschemas, type ToolContract } from '@countersign/contracts';
import { isLoopback } from './declared-hosts.js';

const FREE_TEXT = new Set(
  'prompt instruction instructions command commands task goal request action do ask anything whatever free_text freeform'.split(' '),
);
const DATABASE_INPUT = new Set('sql sql_query query_sql dsn connection_string database_url db_url jdbc_url'.split(' '));
const DATABASE_PORT = new Set([1433, 1521, 3306, 5432, 6379, 9042, 27017]);
const DATABASE_SECRET = /(^|_)(DATABASE|DB|PG|POSTGRES|MYSQL|MONGO|REDIS|ORACLE)(_?(URL|URI|DSN|PASSWORD))$/i;
const WRITING = new Set('create update delete write send pay refund transfer insert remove cancel approve'.split(' '));
const STAYS_INSIDE = new Set(['pure', 'read_internal', 'stage', 'commit_low']);

/**
 * What makes a capability no tool: inputs or outputs without a type, a text that says what to do, a way into a database,
 * an effect outside of what its class declares, a sandbox whose network nobody declared. One sentence each.
 */
export function notAToolFaults(contract: ToolContract): string[] {
  const { input_schema, output_schema } = contract;
  return [
    ...untyped(input_schema, '').map((path) => `the input ${path} has no type: a tool says what it takes`),
    ...untyped(output_schema, '').map((path) => `the output ${path} has no type: a tool says what it answers`),
    ...inputFaults(input_schema),
    ...databaseFaults(contract),
    ...effectFaults(contract),
  ];
}

/** Pointers of the values that a schema leaves open. */
function untyped(schema: unknown, path: string): string[] {
  if (schema === true || (isNode(schema) && isOpen(schema))) return [path || '/'];
  if (!isNode(schema)) return [];
  const found = schema.additionalProperties === true ? [`${path}/*`] : [];
  for (const part of subschemas(schema)) {
    const alternative = /^(anyOf|oneOf)\//.test(part.path);
    // Parts of an allOf, conditions and their like only narrow what the schema itself says.
    if ((part.slot === null && !alternative) || part.slot === 'names' || part.path === 'contains') continue;
    if (part.schema === true && part.path === 'additionalProperties') continue;
    found.push(...untyped(part.schema, alternative ? path : `${path}/${part.path.split('/').at(-1)}`));
  }
  return [...new Set(found)];
}

function isOpen(schema: JsonSchema): boolean {
  const says = ['type', 'enum', 'const', '$ref', 'allOf', 'anyOf', 'oneOf'].some((keyword) => keyword in schema);
  if (!says) return true;
  if (schema.type === 'object') {
    const shaped = ['properties', 'patternProperties', '$ref', 'allOf', 'anyOf', 'oneOf', 'enum', 'const'].some(
      (keyword) => keyword in schema,
    );
    return !shaped && (schema.additionalProperties === undefined || schema.additionalProperties === true);
  }
  return schema.type === 'array' && !['items', 'prefixItems', '$ref', 'enum', 'const'].some((keyword) => keyword in schema);
}

function inputFaults(schema: JsonSchema): string[] {
  const properties = isNode(schema.properties) ? Object.entries(schema.properties) : [];
  return properties.flatMap(([name, part]) => {
    const free = isNode(part) && part.type === 'string' && !['enum', 'const', 'pattern', 'format'].some((keyword) => keyword in part);
    return free && FREE_TEXT.has(name) ? [`the input ${name} is a free text that says what to do: name what the tool needs instead`] : [];
  });
}

function databaseFaults({ input_schema, network = [], auth_requirements = [] }: ToolContract): string[] {
  const names = isNode(input_schema.properties) ? Object.keys(input_schema.properties) : [];
  const ways = [
    ...names.filter((name) => DATABASE_INPUT.has(name)).map((name) => `its input ${name}`),
    ...network.filter((host) => DATABASE_PORT.has(Number(/:(\d+)$/.exec(host)?.[1]))).map((host) => `the host ${host}`),
    ...auth_requirements.filter((name) => DATABASE_SECRET.test(name)).map((name) => `the secret ${name}`),
  ];
  return ways.map((way) => `${way} is a way into a database: agents get no direct access`);
}

function effectFaults({ name, effect_class, network, protocol }: ToolContract): string[] {
  const faults: string[] = [];
  const outside = (network ?? []).filter((host) => !isLoopback(host));
  if (STAYS_INSIDE.has(effect_class) && outside.length > 0) {
    const should = isReadOnly(effect_class) ? 'read_external' : 'commit_high';
    faults.push(`${effect_class} stays inside, and ${outside.join(', ')} is not: what it does there is ${should}`);
  }
  const [verb = ''] = name.split('_');
  if (isReadOnly(effect_class) && WRITING.has(verb))
    faults.push(`its name says that it ${verb}s something, and ${effect_class} changes nothing`);
  if (protocol === 'sandbox' && network === undefined) faults.push('a sandboxed tool must declare its network ([] for none)');
  return faults;
}
