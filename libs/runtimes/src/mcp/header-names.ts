/** By this a schema asks that an input is sent as a header, too. */
const KEY = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Members of a schema that are data. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples']);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function declaredIn(schema: Record<string, unknown>, is_reachable: boolean, found: Set<string>): string | undefined {
  const { [KEY]: name, type } = schema;
  if (typeof name !== 'string' || !TOKEN.test(name)) return `a value of ${KEY} is not the name of a header`;
  if (!is_reachable) return `${KEY} stands where no single input is meant`;
  if (!TYPES.has(type)) return `${KEY} stands at an input that is no string, integer or boolean`;
  if (found.has(name.toLowerCase())) return `two inputs have the same ${KEY}`;
  found.add(name.toLowerCase());
  return undefined;
}

function visited(schema: unknown, is_reachable: boolean, found: Set<string>, is_root = false): string | undefined {
  if (!isObject(schema)) return undefined;
  const fault = KEY in schema ? declaredIn(schema, is_reachable && !is_root, found) : undefined;
  if (fault !== undefined) return fault;
  for (const [member, value] of Object.entries(schema)) {
    if (DATA.has(member)) continue;
    const parts = isObject(value) ? Object.values(value) : [];
    const below = member === 'properties' ? parts.map((part) => visited(part, is_reachable, found)) : [visitedOther(value, found)];
    const first = below.find((one) => one !== undefined);
    if (first !== undefined) return first;
  }
  return undefined;
}

/** Below every other member, no declaration is allowed. */
function visitedOther(value: unknown, found: Set<string>): string | undefined {
  if (Array.isArray(value)) return value.map((one) => visited(one, false, found)).find((fault) => fault !== undefined);
  return visited(value, false, found);
}

/** Why a tool must not be offered: the headers that its input schema asks for cannot be sent. The depth of the schema is bounded before. */
export const headerFault = (input_schema: Readonly<Record<string, unknown>>): string | undefined =>
  visited(input_schema, true, new Set(), true);
