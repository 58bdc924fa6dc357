import { parseArgs } from 'node:util';
import type { Command, Outcome } from '../command.js';
import { type Api, apiOf, Refused } from '../operator-api.js';
import { inert } from '../text/inert.js';

const CALLS_DEFAULT = 5_000;
const PAGE = 500;
const NOVEL = 'propose_write';
const UNMAPPED = /^(\/\S*) is not mapped and was passed on/;
const LEFT_OUT = /^(\/\S*): (\d+) of \d+ items are left out: \S+ .* is not (?:a value of|in) the table ([\w.-]+)/;
const options = { url: { type: 'string' }, key: { type: 'string' }, calls: { type: 'string', default: String(CALLS_DEFAULT) } } as const;

interface ListedCall {
  tool: string;
  warnings: string[] | null;
}
interface NovelCall {
  input: { operation?: unknown; kind?: unknown; action?: unknown; fields?: Record<string, unknown> } | null;
}

/** The newest calls, up to a number. */
async function* newest<T>(api: Api, query: string, calls_max: number): AsyncGenerator<T> {
  let cursor: string | null = null;
  for (let read = 0; read < calls_max; read += PAGE) {
    const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: { items: T[]; next_cursor: string | null } = await api.ask('GET', `/v1/calls?limit=${PAGE}&${query}${after}`);
    yield* page.items;
    cursor = page.next_cursor;
    if (cursor === null) return;
  }
}

const counted = (counts: Map<string, number>, what: string, times = 1): void => void counts.set(what, (counts.get(what) ?? 0) + times);

/** The most frequent first, made safe for a terminal. */
const linesOf = (counts: ReadonlyMap<string, number>): string[] =>
  [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([what, count]) => `  ${String(count).padStart(6)}  ${inert(what)}`);

/** Fields that permissive mappings passed on, and rows that lists left out; numbers of list items do not matter. */
async function unmapped(api: Api, calls_max: number): Promise<string[]> {
  const [passed_on, left_out] = [new Map<string, number>(), new Map<string, number>()];
  for await (const { tool, warnings } of newest<ListedCall>(api, 'fields=tool,warnings', calls_max))
    for (const warning of warnings ?? []) {
      const [, path] = UNMAPPED.exec(warning) ?? [];
      if (path !== undefined) counted(passed_on, `${tool} ${path.replaceAll(/\/\d+(?=\/|$)/g, '/*')}`);
      const [, list, rows, table] = LEFT_OUT.exec(warning) ?? [];
      if (rows !== undefined) counted(left_out, `${tool} ${list}, table ${table}`, Number(rows));
    }
  const rows = left_out.size === 0 ? [] : ['Rows that lists left out, because a table has no such id:', ...linesOf(left_out)];
  if (passed_on.size === 0) return ['No field was passed on without a rule: the mappings may be strict.', ...rows];
  return ['Fields without a rule, which strict mappings would refuse:', ...linesOf(passed_on), ...rows];
}

/** What agents do by the generic write. */
async function novel(api: Api, calls_max: number): Promise<string[]> {
  const counts = new Map<string, number>();
  for await (const { input } of newest<NovelCall>(api, `tool=${NOVEL}&fields=input`, calls_max)) {
    const { operation, kind, action, fields = {} } = input ?? {};
    counted(counts, [operation, kind, action, ...Object.keys(fields).sort()].filter((part) => part !== undefined).join(' '));
  }
  if (counts.size === 0) return [`No call of ${NOVEL}.`];
  return [`Uses of ${NOVEL}; the frequent ones deserve a tool of their own:`, ...linesOf(counts)];
}

/** `countersign gaps`: which fields have no rule in a mapping, and which operations have no tool. */
export const gaps: Command = {
  name: 'gaps',
  usage: '[--calls <number>] [--url <address>] [--key <key of an auditor>]',
  about: 'counts fields that permissive mappings passed on, and uses of propose_write, in the newest calls of the tenant of the key',
  async run(args, env): Promise<Outcome> {
    try {
      const { values } = parseArgs({ args: [...args], options });
      const calls_max = Number(values.calls);
      if (!Number.isSafeInteger(calls_max) || calls_max < 1) throw new TypeError('--calls: a whole number from 1');
      const api = await apiOf(values, env);
      return { code: 0, lines: [...(await unmapped(api, calls_max)), ...(await novel(api, calls_max))] };
    } catch (fault) {
      if (fault instanceof Refused) return { code: 1, lines: [fault.message] };
      return { code: 2, lines: [(fault as Error).message, `usage: npm run countersign -- gaps ${gaps.usage}`] };
    }
  },
};
