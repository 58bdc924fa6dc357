import type { UpstreamListed, UpstreamToolListed } from '@countersign/contracts';
import { definitionDigest } from './contract.js';
import { definitionChars, evolveListing, listingChars, withDefinitions } from './listing.js';
import type { SeenTool, UpstreamDefinition, UpstreamListing } from './state.js';

/** Bounds of what upstreams may fill. Sizes are characters of JSON: every service has the definitions in memory. */
export const UPSTREAM_BOUNDS = {
  upstreams: 20,
  /** Removed ones included: they keep their revisions. */
  upstream_names: 100,
  /** Of one upstream. */
  tools: 200,
  /** Of all upstreams of a tenant. */
  tools_of_tenant: 1_000,
  /** Of all upstreams of a tenant: clients list them even where tools are too many to list. */
  aliases_of_tenant: 50,
  definition_chars: 20_000,
  /** Definitions of all upstreams of a tenant. */
  chars_of_tenant: 8_000_000,
  /** Names that an upstream ever listed at one place, those of gone tools included. */
  names: 1_000,
  /** Recorded for one revision: an upstream that changes its tools at each listing must not fill the log. */
  recorded_chars: 4_000_000,
  refused_told: 100,
  text_chars: 200,
} as const;

/** A definition of a listing as it is recorded. */
export interface ListedDefinition {
  definition: UpstreamDefinition;
  digest: string;
  json: string;
}

/** Takes up to a millisecond of the thread: a caller with many of them lets other work have its turn between them. */
export const listedDefinition = (definition: UpstreamDefinition): ListedDefinition => ({
  definition,
  digest: definitionDigest(definition),
  json: JSON.stringify(definition),
});

/** What a listing found. */
export interface ListingSeen {
  upstream: string;
  revision: number;
  place_revision: number;
  listed_at_ms: number;
  executor_id: string;
  result:
    | {
        kind: 'complete';
        definitions: readonly ListedDefinition[];
        refused: readonly { tool: string; reason: string }[];
        server: string | null;
        protocol_version: string | null;
      }
    | { kind: 'failed'; fault: string; reason: string };
}

/** What the other upstreams of the tenant leave. */
export interface ListingCapacity {
  tools: number;
  chars: number;
}

type Definition = Omit<UpstreamToolListed, 'meta'>;
type Listed = Omit<UpstreamListed, 'meta'>;

/** Records of a listing that says something new; the listing is the last. */
export interface ListingRecords {
  definitions: Definition[];
  listed: Listed;
}

/** What a listing says, and which of its definitions are not on the record. */
interface Found {
  news: readonly ListedDefinition[];
  listed: Listed;
}

type Refused = { tool: string; reason: string };

/** The capacity that a tenant's other upstreams leave to one of them. */
export function capacityBeside(listings: Iterable<UpstreamListing>, upstream: string): ListingCapacity {
  let { tools_of_tenant: tools, chars_of_tenant: chars } = UPSTREAM_BOUNDS as { tools_of_tenant: number; chars_of_tenant: number };
  for (const listing of listings) {
    if (listing.upstream === upstream) continue;
    tools -= [...listing.tools.values()].filter(({ is_gone }) => !is_gone).length;
    for (const definition of listing.definitions.values()) chars -= definitionChars(definition);
  }
  return { tools: Math.max(0, tools), chars: Math.max(0, chars) };
}

/** The tools that are taken: known ones first, then by name, so that new tools never push out those that are in use. */
function taken(candidates: readonly ListedDefinition[], known: ReadonlyMap<string, SeenTool>, capacity: ListingCapacity) {
  const isNew = ({ definition: { name } }: ListedDefinition) => Number(!known.has(name));
  const order = candidates.toSorted((a, b) => isNew(a) - isNew(b) || (a.definition.name < b.definition.name ? -1 : 1));
  const tools: ListedDefinition[] = [];
  const refused: Refused[] = [];
  const tools_max = Math.min(UPSTREAM_BOUNDS.tools, capacity.tools);
  let chars = 0;
  let names = known.size;
  for (const candidate of order) {
    const { definition, json } = candidate;
    const refuse = (reason: string) => refused.push({ tool: definition.name, reason });
    if (json.length > UPSTREAM_BOUNDS.definition_chars) refuse(`it has more than ${UPSTREAM_BOUNDS.definition_chars} characters`);
    else if (tools.length >= tools_max) refuse(`at most ${tools_max} tools are taken`);
    else if (chars + json.length > capacity.chars)
      refuse(`the tools of a tenant have at most ${UPSTREAM_BOUNDS.chars_of_tenant} characters`);
    else if (isNew(candidate) && names >= UPSTREAM_BOUNDS.names) refuse(`the upstream had more than ${UPSTREAM_BOUNDS.names} names`);
    else {
      tools.push(candidate);
      chars += json.length;
      names += isNew(candidate);
    }
  }
  return { tools, refused };
}

const cut = (text: string): string =>
  text.length > UPSTREAM_BOUNDS.text_chars ? `${text.slice(0, UPSTREAM_BOUNDS.text_chars - 1)}…` : text;

/** Refused tools that are known come first: that they exist counts. */
function told(refused: readonly Refused[], known: ReadonlyMap<string, SeenTool>): Refused[] {
  const order = refused.toSorted((a, b) => Number(known.has(b.tool)) - Number(known.has(a.tool)));
  const shown = order
    .slice(0, UPSTREAM_BOUNDS.refused_told)
    .map(({ tool, reason }) => ({ tool: known.has(tool) ? tool : cut(tool), reason: cut(reason) }));
  const more = order.length - shown.length;
  return more > 0 ? [...shown, { tool: '', reason: `${more} more tools are refused` }] : shown;
}

const around = ({ upstream, revision, place_revision, listed_at_ms, executor_id }: ListingSeen) => ({
  upstream,
  revision,
  place_revision,
  listed_at_ms,
  executor_id,
});

const recordOf = ({ definition: { name: tool }, digest, json }: ListedDefinition, seen: ListingSeen): Definition => {
  const { upstream, revision, executor_id, listed_at_ms } = seen;
  return { upstream, tool, digest, definition_json: json, revision, executor_id, listed_at_ms };
};

function failed(seen: ListingSeen, fault: string, reason: string): Listed {
  const nothing = { tools: [], refused: [], server: null, protocol_version: null };
  return { ...around(seen), complete: false, fault, reason: cut(reason), ...nothing };
}

function foundIn(before: UpstreamListing | undefined, seen: ListingSeen, capacity: ListingCapacity): Found {
  const { result, revision } = seen;
  if (result.kind === 'failed') return { news: [], listed: failed(seen, result.fault, result.reason) };
  const at_place = before?.place_revision === seen.place_revision ? before.tools : new Map<string, SeenTool>();
  const { tools, refused } = taken(result.definitions, at_place, capacity);
  const news = tools.filter(({ digest }) => !before?.definitions.has(digest));
  const listed: Listed = {
    ...around(seen),
    complete: true,
    fault: null,
    reason: null,
    tools: tools.map(({ definition: { name: tool }, digest }) => ({ tool, digest })),
    refused: told([...result.refused, ...refused], at_place),
    server: result.server === null ? null : cut(result.server),
    protocol_version: result.protocol_version === null ? null : cut(result.protocol_version),
  };
  const chars = news.reduce((sum, { json }) => sum + json.length, listingChars(listed));
  if (chars + (before?.revision === revision ? before.recorded_chars : 0) <= UPSTREAM_BOUNDS.recorded_chars) return { news, listed };
  const reason = 'the upstream changes its tools too often: set it again, and it is listed anew';
  return { news: [], listed: failed(seen, 'bounds', reason) };
}

/** What a listing changes for anyone: everything but the times at which the same was seen. */
function material(listing: UpstreamListing | undefined): string {
  if (!listing) return '';
  const { revision, place_revision, is_healthy, fault, refused, server, protocol_version, listed_at_ms } = listing;
  const tools = [...listing.tools.values()].toSorted((a, b) => (a.tool < b.tool ? -1 : 1));
  const was_listed = listed_at_ms !== null;
  return JSON.stringify({ revision, place_revision, is_healthy, fault, refused, server, protocol_version, was_listed, tools });
}

/**
 * The records of a listing; undefined if it says nothing new. A listing that lacks a tool is new at first, and again once the tool has been
 * missing long enough to be gone.
 */
export function decideListing(
  before: UpstreamListing | undefined,
  seen: ListingSeen,
  capacity: ListingCapacity,
): ListingRecords | undefined {
  if (before && seen.revision < before.revision) return undefined;
  const { news, listed } = foundIn(before, seen, capacity);
  const meta = {} as UpstreamListed['meta'];
  const told = news.length === 0 ? before : withDefinitions(before, seen, news);
  const after = evolveListing(told, { meta, ...listed }, listed.listed_at_ms);
  // A first failure of a revision is news, too: its operator waits for it.
  return material(after) === material(before) ? undefined : { definitions: news.map((each) => recordOf(each, seen)), listed };
}
