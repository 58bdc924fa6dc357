import { sha256Hex } from '@countersign/contracts';

/** Name of an upstream: it has no underscore, so that the first `__` of a tool's name ends it. */
export const UPSTREAM_NAME = /^[a-z][a-z0-9]{0,15}$/;
const NAME_MAX = 64;
const SUFFIX_HEX = 6;

/** A name in lower snake: `getSum` and `get-sum` become `get_sum`. Characters beyond a-z and 0-9 separate words. */
export function lowerSnake(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
}

const prefixed = (server: string, tool: string): string => `${server}__${lowerSnake(tool)}`;

function suffixed(server: string, tool: string): string {
  const suffix = `_${sha256Hex(tool).slice(0, SUFFIX_HEX)}`;
  return `${prefixed(server, tool).slice(0, NAME_MAX - suffix.length)}${suffix}`;
}

/**
 * The alias of a tool by its name here: `files__read_file` is `mcp_files_read_file`. The name of an upstream has no underscore, so that the
 * aliases of two upstreams differ. One that is longer than 64 characters gets a suffix.
 */
export function upstreamAliasName(server: string, tool: string, name: string): string {
  const alias = `mcp_${server}_${name.slice(server.length + 2)}`;
  if (alias.length <= NAME_MAX) return alias;
  const suffix = `_${sha256Hex(tool).slice(0, SUFFIX_HEX)}`;
  return `${alias.slice(0, NAME_MAX - suffix.length)}${suffix}`;
}

/** The upstream that a name could be an alias of; undefined: it has not the form of an alias. */
export const upstreamOfAlias = (name: string): string | undefined => /^mcp_([a-z][a-z0-9]{0,15})_/.exec(name)?.[1];

function repeated(names: Iterable<string>): ReadonlySet<string> {
  const once = new Set<string>();
  const more = new Set<string>();
  for (const name of names) (once.has(name) ? more : once).add(name);
  return more;
}

/**
 * The names of an upstream's tools here, by their names there. Names that collide, are empty or are longer than 64 characters all get a
 * suffix, so that the order of a listing changes nothing. Two names whose suffixed forms collide as well get none.
 */
export function upstreamToolNames(server: string, tools: Iterable<string>): ReadonlyMap<string, string> {
  const names = new Map([...new Set(tools)].map((tool) => [tool, prefixed(server, tool)]));
  const colliding = repeated(names.values());
  for (const [tool, name] of names)
    if (colliding.has(name) || name.length > NAME_MAX || lowerSnake(tool) === '') names.set(tool, suffixed(server, tool));
  // A plain name may equal the suffixed name of another tool.
  const again = repeated(names.values());
  for (const [tool, name] of names) if (again.has(name)) names.set(tool, suffixed(server, tool));
  const never = repeated(names.values());
  return new Map([...names].filter(([, name]) => !never.has(name)));
}
