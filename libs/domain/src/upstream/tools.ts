import type { ToolContract } from '@countersign/contracts';
import type { BreakingDifference } from '../compatibility/contract-changes.js';
import { UNCLASSIFIED, upstreamContract } from './contract.js';
import { narrowings } from './drift.js';
import { upstreamToolNames } from './names.js';
import type { ClassifiedTool, SeenTool, Upstream, UpstreamDefinition, UpstreamListing, UpstreamOverlay } from './state.js';

/**
 * `unclassified`: it runs, as commit_high. `pending_change`: it runs as pinned, and its upstream now says something else of it.
 * `suspended`, `gone`: it does not run.
 */
export type UpstreamToolState = 'active' | 'unclassified' | 'pending_change' | 'suspended' | 'gone';

/** A definition with its digest. */
export interface DigestedDefinition {
  digest: string;
  definition: UpstreamDefinition;
}

/** A tool of an upstream as it stands. */
export interface UpstreamTool {
  upstream: string;
  /** The exact name at the upstream. */
  tool: string;
  /** The name here. Undefined: it has none, because another tool's is the same. */
  name: string | undefined;
  version: string;
  state: UpstreamToolState;
  /** Why it is not active; undefined: it is, or is only unclassified. */
  why: string | undefined;
  is_classified: boolean;
  overlay: UpstreamOverlay;
  /** What agents see; undefined: it is no longer kept. */
  pinned: DigestedDefinition | undefined;
  /** What the upstream says now, if that differs. */
  listed: DigestedDefinition | undefined;
  /** How the listed definition breaks what callers of the pinned one rely on. */
  differences: readonly BreakingDifference[];
  /** The contract that executors announce. Undefined: it can have none. */
  contract: ToolContract | undefined;
}

/** Whether it runs, as its pinned definition has it. */
export const isRunnable = ({ state }: Pick<UpstreamTool, 'state'>): boolean => state !== 'suspended' && state !== 'gone';

interface Known {
  upstream: Upstream;
  place: NonNullable<Upstream['place']>;
  listing: UpstreamListing | undefined;
  names: ReadonlyMap<string, string>;
}

/** Versions below 1.0.0 promise nothing: each place has its own. */
const unclassifiedVersion = (place_revision: number): string => `0.${place_revision}.0`;

interface Standing {
  state: UpstreamToolState;
  why?: string;
  differences?: readonly BreakingDifference[];
}

const suspended = (why: string, differences: readonly BreakingDifference[] = []): Standing => ({ state: 'suspended', why, differences });

/** What a change of the definition means. */
function afterChange(seen: SeenTool, pinned: DigestedDefinition, listed: UpstreamDefinition | undefined): Standing {
  if (seen.came_back_as !== null && seen.came_back_as !== pinned.digest)
    return suspended('it was gone, and a tool of its name with another definition has come');
  if (!listed) return suspended('its new definition cannot be read');
  const differences = narrowings(pinned.definition, listed);
  if (differences.length > 0) return suspended('its schemas refuse what the pinned ones took', differences);
  return { state: 'pending_change', why: 'its upstream describes it in another way than the pinned one' };
}

interface Judged {
  seen: SeenTool | undefined;
  pinned: DigestedDefinition | undefined;
  listing: UpstreamListing | undefined;
  overlay: UpstreamOverlay;
}

function standingOf({ seen, pinned, listing, overlay }: Judged): Standing {
  if (seen?.is_gone) return { state: 'gone', why: 'its upstream no longer lists it' };
  if (!pinned) return suspended('its definition is not known');
  const change = seen && seen.current !== pinned.digest ? afterChange(seen, pinned, listing?.definitions.get(seen.current)) : undefined;
  if (change?.state === 'suspended') return change;
  if (seen?.refused) return suspended(`its upstream's definition is refused: ${seen.refused}`);
  return change === undefined || overlay.refused_digest === seen?.current ? { state: 'active' } : change;
}

function pinnedOf(classified: ClassifiedTool | undefined, seen: SeenTool | undefined, listing: UpstreamListing | undefined) {
  if (classified) return { digest: classified.digest, definition: classified.definition };
  const definition = seen && listing?.definitions.get(seen.first);
  return definition && { digest: seen.first, definition };
}

function toolOf({ upstream, place, listing, names }: Known, tool: string): UpstreamTool {
  const kept = upstream.classified.get(tool);
  const has_moved = kept !== undefined && kept.place_revision < upstream.place_revision;
  const seen = listing?.tools.get(tool);
  const pinned = pinnedOf(kept, seen, listing);
  const moved = suspended('its upstream is at another place since an operator classified it');
  const name = names.get(tool);
  const overlay = kept?.overlay ?? UNCLASSIFIED;
  const standing = has_moved
    ? moved
    : name === undefined
      ? suspended('its name is that of another tool')
      : standingOf({ seen, pinned, listing, overlay });
  const is_classified = kept !== undefined && !has_moved;
  const version = kept?.version ?? unclassifiedVersion(upstream.place_revision);
  const current = seen && seen.current !== pinned?.digest ? listing?.definitions.get(seen.current) : undefined;
  return {
    upstream: upstream.name,
    tool,
    name,
    version,
    state: standing.state === 'active' && !is_classified ? 'unclassified' : standing.state,
    why: standing.why,
    is_classified,
    overlay,
    pinned,
    listed: current && seen && { digest: seen.current, definition: current },
    differences: standing.differences ?? [],
    contract:
      pinned && name !== undefined && !has_moved
        ? upstreamContract({ name, version, upstream: { ...upstream, place }, definition: pinned.definition, overlay })
        : undefined,
  };
}

/** The tools of an upstream at its present place, by exact name; empty if it was removed. */
export function toolsOfUpstream(upstream: Upstream, listing: UpstreamListing | undefined): readonly UpstreamTool[] {
  const { place, place_revision, name } = upstream;
  if (!place) return [];
  const ofPlace = listing?.place_revision === place_revision ? listing : undefined;
  const tools = [...new Set([...(ofPlace?.tools.keys() ?? []), ...upstream.classified.keys()])].sort();
  const known: Known = { upstream, place, listing: ofPlace, names: upstreamToolNames(name, tools) };
  return tools.map((tool) => toolOf(known, tool));
}
