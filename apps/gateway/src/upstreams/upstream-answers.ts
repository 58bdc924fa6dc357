import {
  type DigestedDefinition,
  suggestedClass,
  type Upstream,
  type UpstreamListing,
  type UpstreamSettings,
  type UpstreamTool,
} from '@countersign/domain';
import { isoOf } from '../answers/shared-schemas.js';
import type { ChangeFields } from '../configuration/configuration-writer.js';
import type { UpstreamAnswer, UpstreamListed, UpstreamRevisionAnswer, UpstreamToolAnswer } from './upstreams.schemas.js';

function placed({ place, credentials, revision, timeout_ms, by, changed_at_ms }: UpstreamSettings) {
  return {
    revision,
    url: place?.kind === 'http' ? place.url : null,
    command: place?.kind === 'command' ? place.command : null,
    credentials: credentials.map(({ secret, env }) => ({ secret, env })),
    timeout_ms,
    changed_by: by,
    changed_at: new Date(changed_at_ms).toISOString(),
  };
}

const settingsAnswer = (upstream: Upstream) => ({ name: upstream.name, ...placed(upstream) });

/** The settings as a change made them. */
export function setAnswer({ upstream: name, url, command, ...set }: ChangeFields<'upstream_set'>) {
  const place: Upstream['place'] = url !== null ? { kind: 'http', url } : command === null ? null : { kind: 'command', command };
  return { name, ...placed({ ...set, place }) };
}

/** A listing of another place says nothing about this one. */
const ofPlace = ({ place_revision }: Upstream, listing: UpstreamListing | undefined) =>
  listing?.place_revision === place_revision ? listing : undefined;

function healthAnswer(upstream: Upstream, listing: UpstreamListing | undefined): UpstreamAnswer['health'] {
  const known = ofPlace(upstream, listing);
  if (!known) return { state: 'not_listed', fault: null, reason: null, since: null, listed_at: null };
  const { is_healthy, fault, reason, health_since_ms, listed_at_ms } = known;
  return { state: is_healthy ? 'healthy' : 'unhealthy', fault, reason, since: isoOf(health_since_ms), listed_at: isoOf(listed_at_ms) };
}

function summary(tool: UpstreamTool): UpstreamAnswer['tools'][number] {
  const { pinned, listed, overlay, name = null, why = null } = tool;
  const flags = [...new Set([...(pinned?.definition.flags ?? []), ...(listed?.definition.flags ?? [])])].sort();
  return {
    tool: tool.tool,
    name,
    version: tool.version,
    state: tool.state,
    why,
    is_classified: tool.is_classified,
    effect_class: overlay.effect_class,
    alias: (tool.is_classified && tool.contract?.upstream?.alias?.name) || null,
    flags,
    digest: pinned?.digest ?? null,
    listed_digest: listed?.digest ?? null,
  };
}

function definitionAnswer(known: DigestedDefinition | undefined): UpstreamToolAnswer['pinned'] {
  if (!known) return null;
  const { title, description, input_schema, output_schema, annotations, flags } = known.definition;
  return { digest: known.digest, title, description, input_schema, output_schema, annotations: { ...annotations }, flags };
}

export function toolAnswer(tool: UpstreamTool, etag: string): UpstreamToolAnswer {
  const { pinned, listed, overlay, differences } = tool;
  return {
    ...summary(tool),
    etag,
    pinned: definitionAnswer(pinned),
    listed: definitionAnswer(listed),
    differences: [...differences],
    overlay: { ...overlay },
    suggestion: { effect_class: suggestedClass((listed ?? pinned)?.definition.annotations ?? {}) },
  };
}

export function upstreamAnswerOf(upstream: Upstream, listing: UpstreamListing | undefined, tools: readonly UpstreamTool[]): UpstreamAnswer {
  const known = ofPlace(upstream, listing);
  return {
    ...settingsAnswer(upstream),
    health: healthAnswer(upstream, listing),
    server: known?.server ?? null,
    protocol_version: known?.protocol_version ?? null,
    tools: tools.map(summary),
    refused: (known?.refused ?? []).map(({ tool, reason }) => ({ tool, reason })),
  };
}

export function listedAnswer(
  upstream: Upstream,
  listing: UpstreamListing | undefined,
  { tools, etag }: { tools: readonly UpstreamTool[]; etag: string },
): UpstreamListed {
  const tools_in_state = { active: 0, unclassified: 0, pending_change: 0, suspended: 0, gone: 0 };
  for (const { state } of tools) tools_in_state[state]++;
  return { ...settingsAnswer(upstream), health: healthAnswer(upstream, listing), tools: tools.length, tools_in_state, etag };
}

export const revisionAnswer = (settings: UpstreamSettings): UpstreamRevisionAnswer => ({
  ...placed(settings),
  removed: settings.place === null,
});
