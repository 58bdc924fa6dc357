import type { EventMap } from '@countersign/contracts';
import type { SeenTool, UpstreamDefinition, UpstreamListing } from './state.js';

type Listed = EventMap['upstream_listed'];

/** A tool is gone when complete listings lack it for this long. */
export const GONE_AFTER_MS = 60_000;

const empty = (upstream: string, revision: number, place_revision: number): UpstreamListing => ({
  upstream,
  revision,
  place_revision,
  is_healthy: false,
  fault: null,
  reason: null,
  health_since_ms: 0,
  listed_at_ms: null,
  server: null,
  protocol_version: null,
  tools: new Map(),
  refused: [],
  definitions: new Map(),
  recorded_chars: 0,
});

function definitionIn(text: string, tool: string): UpstreamDefinition | undefined {
  try {
    const definition = JSON.parse(text) as UpstreamDefinition | null;
    return definition?.name === tool ? definition : undefined;
  } catch {
    return undefined;
  }
}

/** Of definitions from the record: an upstream may have 200, and each listing of a tenant's upstreams counts them all. */
const known_chars = new WeakMap<UpstreamDefinition, number>();

/** Characters of the JSON of a definition. */
export function definitionChars(definition: UpstreamDefinition): number {
  const known = known_chars.get(definition);
  if (known !== undefined) return known;
  const chars = JSON.stringify(definition).length;
  known_chars.set(definition, chars);
  return chars;
}

/** What is known once these definitions are on the record. Each counts once a listing names its digest. */
export function withDefinitions(
  before: UpstreamListing | undefined,
  { upstream, revision }: { upstream: string; revision: number },
  news: readonly { definition: UpstreamDefinition; digest: string; json: string }[],
): UpstreamListing {
  const known = before ?? empty(upstream, revision, 0);
  const definitions = new Map(known.definitions);
  let recorded_chars = revision > known.revision ? 0 : known.recorded_chars;
  for (const { definition, digest, json } of news) {
    definitions.set(digest, definition);
    known_chars.set(definition, json.length);
    recorded_chars += json.length;
  }
  return { ...known, revision, definitions, recorded_chars };
}

/** An unreadable definition is ignored. */
export function evolveDefinition(
  before: UpstreamListing | undefined,
  event: EventMap['upstream_tool_listed'],
): UpstreamListing | undefined {
  const { tool, digest, definition_json: json, revision } = event;
  if (before && revision < before.revision) return before;
  const definition = definitionIn(json, tool);
  return definition ? withDefinitions(before, event, [{ definition, digest, json }]) : before;
}

/** Another place: nothing that was known of the tools of the former one counts. */
function atPlace(before: UpstreamListing | undefined, { upstream, revision, place_revision }: Listed): UpstreamListing {
  if (!before) return empty(upstream, revision, place_revision);
  const recorded_chars = revision > before.revision ? 0 : before.recorded_chars;
  if (before.place_revision === place_revision) return { ...before, revision, recorded_chars };
  const { definitions } = before;
  return { ...empty(upstream, revision, place_revision), definitions, recorded_chars };
}

function present(before: SeenTool | undefined, tool: string, digest: string): SeenTool {
  const came_back = before?.is_gone && before.current !== digest ? digest : before?.came_back_as;
  return {
    tool,
    first: before?.first ?? digest,
    current: digest,
    refused: null,
    missing_since_ms: null,
    is_gone: false,
    came_back_as: came_back ?? null,
  };
}

function missing(before: SeenTool, at_ms: number): SeenTool {
  const missing_since_ms = before.missing_since_ms ?? at_ms;
  return { ...before, missing_since_ms, is_gone: before.is_gone || at_ms - missing_since_ms >= GONE_AFTER_MS };
}

function toolsAfter(known: UpstreamListing, event: Listed, at_ms: number): Map<string, SeenTool> {
  const tools = new Map<string, SeenTool>();
  const refused = new Map(event.refused.map(({ tool, reason }) => [tool, reason]));
  for (const [tool, before] of known.tools) {
    const reason = refused.get(tool);
    // A tool that is there and cannot be taken has not disappeared.
    tools.set(tool, reason === undefined ? missing(before, at_ms) : { ...before, refused: reason, missing_since_ms: null });
  }
  for (const { tool, digest } of event.tools)
    if (known.definitions.has(digest)) tools.set(tool, present(known.tools.get(tool), tool, digest));
  return tools;
}

/** The definitions that are still named. Those of tools that are gone are not kept. */
function named(definitions: UpstreamListing['definitions'], tools: ReadonlyMap<string, SeenTool>): UpstreamListing['definitions'] {
  const used = new Set([...tools.values()].flatMap(({ first, current, is_gone }) => (is_gone ? [] : [first, current])));
  return new Map([...definitions].filter(([digest]) => used.has(digest)));
}

/** Characters that a listing adds to the record, without those of its definitions. */
export function listingChars({ tools, refused }: Pick<Listed, 'tools' | 'refused'>): number {
  const DIGEST = 64;
  const ofTools = tools.reduce((sum, { tool }) => sum + tool.length + DIGEST, 0);
  return refused.reduce((sum, { tool, reason }) => sum + tool.length + reason.length, ofTools);
}

/**
 * What is known after a listing. One of an older revision changes nothing; a failed one says nothing about tools.
 * @param at_ms when it was appended: the clocks of the executors that list may differ
 */
export function evolveListing(before: UpstreamListing | undefined, event: Listed, at_ms: number): UpstreamListing | undefined {
  if (before && event.revision < before.revision) return before;
  const known = atPlace(before, event);
  const { complete, fault, reason, listed_at_ms } = event;
  const is_same = known.is_healthy === complete && known.listed_at_ms !== null;
  const health = { is_healthy: complete, fault, reason, health_since_ms: is_same ? known.health_since_ms : listed_at_ms };
  if (!complete) return { ...known, ...health };
  const { refused, server, protocol_version } = event;
  const tools = toolsAfter(known, event, at_ms);
  const recorded_chars = known.recorded_chars + listingChars(event);
  const definitions = named(known.definitions, tools);
  return { ...known, ...health, listed_at_ms, refused, server, protocol_version, tools, definitions, recorded_chars };
}
