import type { EventMap, ToolContract } from '@countersign/contracts';
import type { PlacedEvent } from '../call/evolve.js';
import { evolveConfiguration } from '../configuration/evolve.js';
import { listingOf, upstreamOf, upstreamsOf, upstreamToolsOf } from '../configuration/kinds/upstreams.js';
import { toolVersions } from '../configuration/queries.js';
import { initialConfiguration } from '../configuration/state/configuration.js';
import { definitionDigest } from '../upstream/contract.js';
import { capacityBeside, decideListing, type ListingSeen, listedDefinition } from '../upstream/decide-listing.js';
import type { UpstreamDefinition, UpstreamOverlay } from '../upstream/state.js';
import type { UpstreamTool } from '../upstream/tools.js';
import { ungatedRegistration } from './ungated-registration.js';

const by = { kind: 'user' as const, id: 'olga', roles: ['operator'] };
const TENANT = 'acme';

/** A definition of a tool that takes a path. */
export const listedTool = (name: string, more: Partial<UpstreamDefinition> = {}): UpstreamDefinition => ({
  name,
  title: name,
  description: `Does ${name} with the file at a path.`,
  input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'], additionalProperties: false },
  output_schema: { type: 'object' },
  annotations: {},
  flags: [],
  ...more,
});

/** The executor that lists: how far its clock is ahead, and whether another one lists at the same time and records the same. */
interface ListingExecutor {
  ahead_ms?: number;
  is_beside?: boolean;
}

/** A history of one tenant with upstreams: given what was recorded, when a listing comes, then the tools stand so. */
export class UpstreamHistory {
  readonly state = initialConfiguration();
  now_ms = 1_000_000;
  /** Everything that was folded, in its order. */
  readonly recorded: { topic: string; event_type: string; fields: object }[] = [];
  private readonly offsets = new Map<string, number>();

  constructor() {
    this.fold('configuration-changed', 'tenant_set', { lane: 'shared' } as never);
  }

  fold<T extends keyof EventMap>(topic: string, event_type: T, fields: Omit<EventMap[T], 'meta'>, tenant_id = TENANT): this {
    this.recorded.push({ topic, event_type, fields });
    const offset = (this.offsets.get(topic) ?? -1) + 1;
    this.offsets.set(topic, offset);
    const placed = { event_type, event: { meta: { tenant_id }, ...fields }, topic, partition: 0, offset, timestamp_ms: this.now_ms };
    evolveConfiguration(this.state, placed as unknown as PlacedEvent);
    return this;
  }

  set(url: string | null = 'https://files.example/mcp', upstream = 'files'): this {
    const revision = (upstreamsOf(this.state, TENANT).get(upstream)?.revision ?? 0) + 1;
    const settings = { upstream, revision, url, command: null, credentials: [], timeout_ms: 30_000, removed: url === null };
    return this.fold('configuration-changed', 'upstream_set', { ...settings, by, changed_at_ms: this.now_ms });
  }

  /** @returns whether the listing was recorded */
  lists(
    definitions: readonly UpstreamDefinition[],
    more: { refused?: { tool: string; reason: string }[]; upstream?: string; executor?: ListingExecutor } = {},
  ): boolean {
    const { refused = [], upstream = 'files', executor = {} } = more;
    const result = {
      kind: 'complete' as const,
      definitions: definitions.map(listedDefinition),
      refused,
      server: 'files 1',
      protocol_version: '2025-11-25',
    };
    return this.seen(result, upstream, executor);
  }

  fails(fault = 'unreachable'): boolean {
    return this.seen({ kind: 'failed', fault, reason: 'connection refused' }, 'files', {});
  }

  classifies(tool: string, overlay: UpstreamOverlay, version = '1.0.0'): this {
    const found = this.tool(tool);
    return this.pins(tool, (found?.listed ?? found?.pinned)?.definition as UpstreamDefinition, overlay, version);
  }

  /** The operator keeps what is pinned, and refuses what the upstream lists now. */
  refuses(tool: string): this {
    const { pinned, listed, overlay, version } = this.tool(tool) as UpstreamTool;
    return this.pins(tool, pinned?.definition as UpstreamDefinition, { ...overlay, refused_digest: listed?.digest ?? '' }, version);
  }

  private pins(tool: string, definition: UpstreamDefinition, overlay: UpstreamOverlay, version: string): this {
    const { place_revision = 0 } = upstreamOf(this.state, TENANT, 'files') ?? {};
    const said = { upstream: 'files', tool, digest: definitionDigest(definition), definition_json: JSON.stringify(definition) };
    const declared = { overlay_json: JSON.stringify(overlay), version, place_revision, by, changed_at_ms: this.now_ms };
    return this.fold('configuration-changed', 'upstream_tool_classified', { ...said, ...declared });
  }

  /** Executors announce the contracts of all tools. */
  announced(): this {
    for (const { contract } of upstreamToolsOf(this.state, TENANT, 'files')) if (contract) this.announce(contract);
    return this;
  }

  after(ms: number): this {
    this.now_ms += ms;
    return this;
  }

  tool(tool: string): UpstreamTool | undefined {
    return upstreamToolsOf(this.state, TENANT, 'files').find((each) => each.tool === tool);
  }

  /** State by exact name. */
  states(): Record<string, string> {
    return Object.fromEntries(upstreamToolsOf(this.state, TENANT, 'files').map(({ tool, state }) => [tool, state]));
  }

  /** Lifecycle by `name@version`, as callers meet it. */
  lifecycles(name: string): Record<string, string> {
    return Object.fromEntries(toolVersions(this.state, TENANT, name).map(({ tool, lifecycle }) => [tool.version, lifecycle]));
  }

  private announce(contract: ToolContract): void {
    const { name, version } = contract;
    const said = {
      name,
      version,
      digest: '',
      contract_json: JSON.stringify(contract),
      lanes: ['shared'],
      executor_id: 'e1',
      registered_at_ms: 1,
    };
    this.fold('tool-registered', 'tool_registered', { ...ungatedRegistration, ...said, only_tenant: TENANT });
  }

  private seen(result: ListingSeen['result'], upstream: string, { ahead_ms = 0, is_beside = false }: ListingExecutor): boolean {
    const { revision = 0, place_revision = 0 } = upstreamOf(this.state, TENANT, upstream) ?? {};
    const seen: ListingSeen = { upstream, revision, place_revision, listed_at_ms: this.now_ms + ahead_ms, executor_id: 'e1', result };
    const capacity = capacityBeside(this.state.by_tenant.get(TENANT)?.upstream_listings?.values() ?? [], upstream);
    const records = decideListing(listingOf(this.state, TENANT, upstream), seen, capacity);
    for (let times = is_beside ? 2 : 1; records && times > 0; times--) {
      for (const definition of records.definitions) this.fold('tool-registered', 'upstream_tool_listed', definition);
      this.fold('tool-registered', 'upstream_listed', records.listed);
    }
    return records !== undefined;
  }
}
