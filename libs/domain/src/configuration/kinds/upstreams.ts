import type { EventMap } from '@countersign/contracts';
import type { PlacedEvent } from '../../call/evolve.js';
import { evolveDefinition, evolveListing } from '../../upstream/listing.js';
import type { ClassifiedTool, Upstream, UpstreamAddress, UpstreamListing, UpstreamSettings } from '../../upstream/state.js';
import { toolsOfUpstream, type UpstreamTool } from '../../upstream/tools.js';
import { type ConfigurationState, type TenantConfiguration, tenantPart } from '../state/configuration.js';

/** Revisions of an upstream that stay readable. */
const REVISIONS_KEPT = 50;

function placeIn({ url, command, removed }: EventMap['upstream_set']): UpstreamAddress | null {
  if (removed) return null;
  if (url !== null) return { kind: 'http', url };
  return command === null ? null : { kind: 'command', command };
}

const samePlace = (a: UpstreamAddress | null, b: UpstreamAddress | null): boolean =>
  a !== null && b !== null && JSON.stringify(a) === JSON.stringify(b);

export function setUpstream(state: ConfigurationState, event: EventMap['upstream_set']): void {
  const { upstream: name, revision, credentials, timeout_ms, by, changed_at_ms } = event;
  const part = tenantPart(state, event.meta.tenant_id);
  part.upstreams ??= new Map();
  const before = part.upstreams.get(name);
  const settings: UpstreamSettings = { revision, place: placeIn(event), credentials, timeout_ms, by, changed_at_ms };
  const stays = before !== undefined && samePlace(before.place, settings.place);
  part.upstreams.set(name, {
    name,
    ...settings,
    place_revision: stays ? before.place_revision : revision,
    classified: before?.classified ?? new Map(),
    revisions: [...(before?.revisions ?? []), settings].slice(-REVISIONS_KEPT),
  });
  state.revocation_epoch++;
}

function classifiedIn(event: EventMap['upstream_tool_classified']): ClassifiedTool | undefined {
  const { tool, digest, definition_json, overlay_json, version, place_revision, by, changed_at_ms } = event;
  try {
    const definition = JSON.parse(definition_json) as ClassifiedTool['definition'] | null;
    const overlay = JSON.parse(overlay_json) as ClassifiedTool['overlay'] | null;
    if (definition?.name !== tool || !overlay) return undefined;
    return { tool, digest, definition, overlay, version, place_revision, by, changed_at_ms };
  } catch {
    return undefined;
  }
}

/** An unreadable one is ignored. */
export function classifyUpstreamTool(state: ConfigurationState, event: EventMap['upstream_tool_classified']): void {
  const part = tenantPart(state, event.meta.tenant_id);
  const upstream = part.upstreams?.get(event.upstream);
  const classified = classifiedIn(event);
  if (!upstream || !classified) return;
  part.upstreams?.set(upstream.name, { ...upstream, classified: new Map(upstream.classified).set(classified.tool, classified) });
  state.revocation_epoch++;
}

function setListing(state: ConfigurationState, tenant_id: string, listing: UpstreamListing | undefined): void {
  if (!listing) return;
  const part = tenantPart(state, tenant_id);
  part.upstream_listings ??= new Map();
  if (part.upstream_listings.get(listing.upstream) === listing) return;
  part.upstream_listings.set(listing.upstream, listing);
}

export function noteDefinition(state: ConfigurationState, event: EventMap['upstream_tool_listed']): void {
  const { tenant_id } = event.meta;
  setListing(state, tenant_id, evolveDefinition(listingOf(state, tenant_id, event.upstream), event));
}

export function noteListing(state: ConfigurationState, event: EventMap['upstream_listed'], { timestamp_ms }: PlacedEvent): void {
  const { tenant_id } = event.meta;
  setListing(state, tenant_id, evolveListing(listingOf(state, tenant_id, event.upstream), event, timestamp_ms));
  state.revocation_epoch++;
}

/** What is known of the tools of an upstream; undefined: nothing was recorded. */
export function listingOf(state: ConfigurationState, tenant_id: string, upstream: string): UpstreamListing | undefined {
  return state.by_tenant.get(tenant_id)?.upstream_listings?.get(upstream);
}

const NONE: ReadonlyMap<string, Upstream> = new Map();

const NO_ALIASES: ReadonlyMap<string, UpstreamTool> = new Map();

/** The upstreams of a tenant by name, removed ones included. */
export function upstreamsOf(state: ConfigurationState, tenant_id: string): ReadonlyMap<string, Upstream> {
  return state.by_tenant.get(tenant_id)?.upstreams ?? NONE;
}

/** An upstream that was not removed. */
export function upstreamOf(state: ConfigurationState, tenant_id: string, name: string): Upstream | undefined {
  const found = upstreamsOf(state, tenant_id).get(name);
  return found?.place ? found : undefined;
}

interface Derived {
  listing: UpstreamListing | undefined;
  tools: readonly UpstreamTool[];
  by_name: ReadonlyMap<string, UpstreamTool>;
  by_alias: ReadonlyMap<string, UpstreamTool>;
}

/** Deriving compares schemas: it is done once for each change. */
const derived = new WeakMap<Upstream, Derived>();

/** Those that an operator gave an alias. An alias that two of them would have belongs to none. */
function aliased(tools: readonly UpstreamTool[]): ReadonlyMap<string, UpstreamTool> {
  const by_alias = new Map<string, UpstreamTool>();
  const taken = new Set<string>();
  for (const tool of tools) {
    const alias = tool.is_classified ? tool.contract?.upstream?.alias?.name : undefined;
    if (alias === undefined) continue;
    if (taken.has(alias)) by_alias.delete(alias);
    else by_alias.set(alias, tool);
    taken.add(alias);
  }
  return by_alias;
}

function derive(part: TenantConfiguration | undefined, name: string): Derived | undefined {
  const upstream = part?.upstreams?.get(name);
  if (!upstream) return undefined;
  const listing = part?.upstream_listings?.get(name);
  const known = derived.get(upstream);
  if (known && known.listing === listing) return known;
  const tools = toolsOfUpstream(upstream, listing);
  const by_name = new Map(tools.flatMap((tool) => (tool.name === undefined ? [] : [[tool.name, tool] as const])));
  const made = { listing, tools, by_name, by_alias: aliased(tools) };
  derived.set(upstream, made);
  return made;
}

/** The tools of an upstream as they stand, by exact name; empty: it does not exist or was removed. */
export function upstreamToolsOf(state: ConfigurationState, tenant_id: string, upstream: string): readonly UpstreamTool[] {
  return derive(state.by_tenant.get(tenant_id), upstream)?.tools ?? [];
}

/** A tool of an upstream by its name here. */
export function upstreamToolNamed(part: TenantConfiguration | undefined, upstream: string, name: string): UpstreamTool | undefined {
  return derive(part, upstream)?.by_name.get(name);
}

/** The tools of an upstream that have an alias, by it. */
export function upstreamAliasesOf(part: TenantConfiguration | undefined, upstream: string): ReadonlyMap<string, UpstreamTool> {
  return derive(part, upstream)?.by_alias ?? NO_ALIASES;
}
