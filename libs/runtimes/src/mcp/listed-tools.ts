import { z } from 'zod';
import { headerFault } from './header-names.js';
import type { ListedTool, RefusedTool, ToolHints } from './upstream.js';

const NAME_CHARS_MAX = 128;
const DESCRIPTION_CHARS_MAX = 16_384;
const SCHEMA_BYTES_MAX = 64 * 1024;
const SCHEMA_DEPTH_MAX = 64;

const schema = z.looseObject({ type: z.literal('object').optional() });
const hint = z.boolean().optional().catch(undefined);

const listed = z.object({
  name: z
    .string()
    .min(1, 'it has no name')
    .max(NAME_CHARS_MAX, `its name is longer than ${NAME_CHARS_MAX} characters`)
    .regex(/^[\x21-\x7e]+$/, 'its name has characters that are not printable ASCII'),
  title: z.string().max(200).optional().catch(undefined),
  description: z.string().max(DESCRIPTION_CHARS_MAX, `its description is longer than ${DESCRIPTION_CHARS_MAX} characters`).optional(),
  inputSchema: schema,
  outputSchema: schema.optional(),
  annotations: z
    .object({
      title: z.string().max(200).optional().catch(undefined),
      readOnlyHint: hint,
      destructiveHint: hint,
      idempotentHint: hint,
      openWorldHint: hint,
    })
    .optional()
    .catch(undefined),
});

/** What a page of a listing says about one tool. */
export type ReadTool = { tool: ListedTool } | { refused: RefusedTool };

/** Levels of a value, counted without recursion: a hostile schema is deeper than the stack. */
function deeperThan(value: unknown, depth_max: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > depth_max) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}

function schemaFault(what: string, given: object): string | undefined {
  if (deeperThan(given, SCHEMA_DEPTH_MAX)) return `its ${what} is deeper than ${SCHEMA_DEPTH_MAX} levels`;
  return JSON.stringify(given).length > SCHEMA_BYTES_MAX ? `its ${what} is larger than ${SCHEMA_BYTES_MAX} bytes` : undefined;
}

function hintsOf(given: z.output<typeof listed>['annotations']): ToolHints | undefined {
  if (!given) return undefined;
  const { title, readOnlyHint: read_only, destructiveHint: destructive, idempotentHint: idempotent, openWorldHint: open_world } = given;
  const hints = Object.entries({ title, read_only, destructive, idempotent, open_world }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(hints) as ToolHints;
}

/** Reads one entry of a listing. An entry that breaks a bound is refused alone. */
export function readTool(given: unknown): ReadTool {
  const name = String((Object(given) as { name?: unknown }).name ?? '').slice(0, 200);
  if (deeperThan(given, SCHEMA_DEPTH_MAX + 1)) return { refused: { name, reason: `it is deeper than ${SCHEMA_DEPTH_MAX} levels` } };
  const read = listed.safeParse(given);
  if (!read.success) return { refused: { name, reason: read.error.issues[0]?.message.slice(0, 200) ?? 'it is invalid' } };
  const { inputSchema: input_schema, outputSchema: output_schema, title, description, annotations } = read.data;
  const reason =
    schemaFault('input schema', input_schema) ??
    (output_schema && schemaFault('output schema', output_schema)) ??
    headerFault(input_schema);
  if (reason !== undefined) return { refused: { name, reason } };
  const hints = hintsOf(annotations);
  return {
    tool: {
      name: read.data.name,
      input_schema,
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...(output_schema === undefined ? {} : { output_schema }),
      ...(hints === undefined ? {} : { annotations: hints }),
    },
  };
}

/** Refuses every tool whose name the listing has twice: it cannot be told which of them a call would reach. */
export function withoutTwins(read: readonly ReadTool[]): { tools: ListedTool[]; refused: RefusedTool[] } {
  const counts = new Map<string, number>();
  for (const one of read) if ('tool' in one) counts.set(one.tool.name, (counts.get(one.tool.name) ?? 0) + 1);
  const refused = read.flatMap((one) => ('refused' in one ? one.refused : []));
  const twins = [...counts]
    .filter(([, count]) => count > 1)
    .map(([name]) => ({ name, reason: 'the server lists this name more than once' }));
  const tools = read.flatMap((one) => ('tool' in one && counts.get(one.tool.name) === 1 ? one.tool : []));
  return { tools, refused: [...refused, ...twins] };
}
