import { isReadOnly, type JsonSchema, type ToolContract } from '@countersign/contracts';
import { isLoopback } from './declared-hosts.js';
import { namedInputs } from './named-inputs.js';
import { untypedParts } from './untyped-parts.js';

const FREE_TEXT = new Set('task goal request action do ask anything whatever free_text freeform free_form'.split(' '));
/** With any prefix: a `user_prompt` matches too. */
const TELLS_WHAT_TO_DO = /(^|_)(prompts?|instructions?|commands?)(_(text|string|body))?$/;
const DATABASE_INPUT = /(^|_)(sql|sql_(query|text|statement)|query_sql|dsn|connection_string|(database|db|jdbc)_url)$/;
const DATABASE_PORT = new Set([1433, 1521, 3306, 5432, 6379, 9042, 27017]);
const DATABASE_SCHEME = /^(jdbc:|(postgres(ql)?|mysql|mariadb|mssql|sqlserver|oracle|mongodb(\+srv)?|rediss?|cassandra):\/\/)/i;
const DATABASE_SECRET = /(^|_)(DATABASE|DB|PG|POSTGRES|MYSQL|MONGO|REDIS|ORACLE)(_?(URL|URI|DSN|PASSWORD))$/i;
const WRITING = new Set('create update delete write send pay refund transfer insert remove cancel approve'.split(' '));
const STAYS_INSIDE = new Set(['pure', 'read_internal', 'stage', 'commit_low']);

/**
 * Reasons why a capability is not a tool: inputs or outputs without a type, a text with instructions, access to a database, an effect
 * beyond its declared class, a sandbox without a declared network. One sentence each.
 */
export function notAToolFaults(contract: ToolContract): string[] {
  const { input_schema, output_schema } = contract;
  return [
    ...untypedParts(input_schema).map((path) => `the input ${path} has no type: declare the type of each input`),
    ...untypedParts(output_schema).map((path) => `the output ${path} has no type: declare the type of each output`),
    ...inputFaults(input_schema),
    ...databaseFaults(contract),
    ...effectFaults(contract),
  ];
}

function inputFaults(schema: JsonSchema): string[] {
  const free = namedInputs(schema).filter(({ words, isFreeText }) => isFreeText && (FREE_TEXT.has(words) || TELLS_WHAT_TO_DO.test(words)));
  return [...new Set(free.map(({ name }) => name))].map(
    (name) => `the input ${name} is a free-text instruction: declare the fields that the tool needs instead`,
  );
}

function databaseFaults(contract: ToolContract): string[] {
  const { input_schema, endpoint = '', auth_requirements = [] } = contract;
  const inputs = namedInputs(input_schema).filter(({ words }) => DATABASE_INPUT.test(words));
  const ways = [
    ...inputs.map(({ name }) => `its input ${name}`),
    ...(DATABASE_SCHEME.test(endpoint) ? ['its endpoint'] : []),
    ...hostsOf(contract)
      .filter((host) => DATABASE_PORT.has(Number(/:(\d+)$/.exec(host)?.[1])))
      .map((host) => `the host ${host}`),
    ...auth_requirements.filter((name) => DATABASE_SECRET.test(name)).map((name) => `the secret ${name}`),
  ];
  return [...new Set(ways)].map((way) => `${way} gives access to a database: tools must not give agents direct database access`);
}

/** The hosts that a tool declares: the hosts of its network, and that of its endpoint. */
function hostsOf({ network = [], endpoint }: ToolContract): string[] {
  const [, host] = /^(?:[a-z][a-z0-9+.-]*:)?\/\/(?:[^/?#]*@)?(\[[^\]]*\](?::\d+)?|[^/?#]+)/i.exec(endpoint ?? '') ?? [];
  const bare = host ?? /^(?:[a-z0-9-]+\.)+[a-z0-9-]+(?::\d+)?(?=$|[/?#])/i.exec(endpoint ?? '')?.[0];
  return bare === undefined ? [...network] : [...new Set([...network, bare.toLowerCase().replace(/^\[(.*)\](:\d+)?$/, '$1$2')])];
}

function effectFaults(contract: ToolContract): string[] {
  const { name, effect_class, network, protocol } = contract;
  const faults: string[] = [];
  const outside = hostsOf(contract).filter((host) => !isLoopback(host));
  if (STAYS_INSIDE.has(effect_class) && outside.length > 0) {
    const should = isReadOnly(effect_class) ? 'read_external' : 'commit_high';
    faults.push(`${effect_class} has no effect outside the platform, but the tool uses ${outside.join(', ')}: declare ${should}`);
  }
  // Tools from outside are named `<import>__<operation>`.
  const [verb = ''] = name.replace(/^.*__/, '').split('_');
  if (isReadOnly(effect_class) && WRITING.has(verb)) faults.push(`its name contains ${verb}, but ${effect_class} changes nothing`);
  if (protocol === 'sandbox' && network === undefined) faults.push('a sandboxed tool must declare its network ([] for none)');
  return faults;
}
