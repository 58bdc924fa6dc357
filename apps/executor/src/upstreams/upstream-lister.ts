import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import {
  type ConfigurationState,
  type ListedDefinition,
  type ListingSeen,
  listedDefinition,
  listingOf,
  tenantOf,
  type Upstream,
} from '@countersign/domain';
import type { Clock, Logger } from '@countersign/process';
import { type ListedTool, type Listing, messageOf, type UpstreamSessions } from '@countersign/runtimes';
import { definitionOf, RefusedDefinition } from './definition.js';
import type { ListingCredentials } from './listing-credentials.js';
import type { ListingRecorder } from './listing-recorder.js';
import { type ListingPace, ListingSchedule } from './listing-schedule.js';

const TICK_MS = 250;
const TOGETHER_MAX = 4;
const LISTING_TIMEOUT_MS = 60_000;
const LISTING_BYTES_MAX = 8 * 1024 * 1024;

/** The executor that lists, and the lanes whose tenants it serves. */
export interface ListingTerms {
  executor_id: string;
  lanes: readonly string[];
  pace: ListingPace;
  /** Whether this executor is the one that lists for a lane. */
  lists(lane: string): Promise<boolean>;
}

/** The servers, and those that say that their list has changed. */
export interface Servers {
  sessions: Pick<UpstreamSessions, 'list' | 'release'>;
  changed: { take(): readonly { tenant_id: string; upstream: string }[] };
}

/** What a listing is made with and recorded by. */
export interface Recording {
  recorder: ListingRecorder;
  credentials: ListingCredentials;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
}

interface Due {
  tenant_id: string;
  lane: string;
  upstream: Upstream;
}

/** Lists the tools of upstreams: after they are set, at a pace, and when a server says that its list has changed. */
export class UpstreamLister {
  private closed = false;
  private readonly running = new Set<string>();
  private readonly schedule: ListingSchedule;
  private readonly ending = new AbortController();

  constructor(
    private readonly configuration: { readonly state: ConfigurationState },
    private readonly servers: Servers,
    private readonly recording: Recording,
    private readonly terms: ListingTerms,
  ) {
    this.schedule = new ListingSchedule(terms.pace);
  }

  start(): void {
    void this.watch();
  }

  close(): void {
    this.closed = true;
    this.ending.abort();
  }

  private async watch(): Promise<void> {
    while (!this.closed) {
      await this.beginDue().catch((cause) => this.failed(cause));
      await sleep(TICK_MS, undefined, { ref: false });
    }
  }

  private failed(cause: unknown): void {
    this.recording.logger.warn({ event: 'upstream_listing_failed', cause: messageOf(cause) }, 'the upstreams could not be listed');
  }

  private async beginDue(): Promise<void> {
    const at_ms = this.recording.clock.monotonic_ms();
    for (const { tenant_id, upstream } of this.servers.changed.take()) this.schedule.hasten(`${tenant_id}/${upstream}`, at_ms);
    const due = this.due();
    if (due.length === 0) return;
    const mine = new Map<string, boolean>();
    for (const lane of new Set(due.map((each) => each.lane))) mine.set(lane, await this.terms.lists(lane));
    const now_ms = this.recording.clock.monotonic_ms();
    for (const each of due) {
      if (this.running.size >= TOGETHER_MAX || this.closed) return;
      const key = `${each.tenant_id}/${each.upstream.name}`;
      if (mine.get(each.lane) !== true) this.schedule.notMine(key, now_ms);
      else void this.list(key, each);
    }
  }

  private due(): Due[] {
    const now_ms = this.recording.clock.monotonic_ms();
    const { state } = this.configuration;
    const due: Due[] = [];
    // Looked through at each tick: most tenants have none.
    for (const [tenant_id, { upstreams }] of state.by_tenant) {
      if (!upstreams) continue;
      const lane = tenantOf(state, tenant_id)?.lane;
      if (lane === undefined || !this.terms.lanes.includes(lane)) continue;
      for (const upstream of upstreams.values()) if (this.isDue(tenant_id, upstream, now_ms)) due.push({ tenant_id, lane, upstream });
    }
    return due;
  }

  private isDue(tenant_id: string, { name, place, revision }: Upstream, now_ms: number): boolean {
    const key = `${tenant_id}/${name}`;
    if (this.running.has(key)) return false;
    if (this.schedule.isNew(key, revision)) this.servers.sessions.release(tenant_id, name, revision);
    const is_wanted = place !== null || (listingOf(this.configuration.state, tenant_id, name)?.tools.size ?? 0) > 0;
    return is_wanted && this.schedule.isDue(key, revision, now_ms);
  }

  private async list(key: string, { tenant_id, upstream }: Due): Promise<void> {
    this.running.add(key);
    const { clock, recorder } = this.recording;
    try {
      const result = await this.resultOf(tenant_id, upstream);
      if (this.closed) return;
      const { name, revision, place_revision } = upstream;
      const { executor_id } = this.terms;
      const seen: ListingSeen = { upstream: name, revision, place_revision, listed_at_ms: clock.now_ms(), executor_id, result };
      await recorder.record(tenant_id, seen);
    } catch (cause) {
      this.failed(cause);
    } finally {
      this.schedule.listed(key, upstream, listingOf(this.configuration.state, tenant_id, upstream.name), clock.monotonic_ms());
      this.running.delete(key);
    }
  }

  private async resultOf(tenant_id: string, { name, place, revision, credentials, timeout_ms }: Upstream): Promise<ListingSeen['result']> {
    // A removed upstream has no tools: what was kept of them is let go.
    if (!place) return { kind: 'complete', definitions: [], refused: [], server: null, protocol_version: null };
    const secrets = await this.recording.credentials.of(tenant_id, credentials);
    if ('missing' in secrets) return { kind: 'failed', fault: 'credentials', reason: secrets.missing };
    const target = {
      tenant_id,
      upstream: name,
      revision,
      place,
      credentials: secrets.credentials,
      timeout_ms,
      max_output_bytes: LISTING_BYTES_MAX,
    };
    const signal = AbortSignal.any([this.ending.signal, AbortSignal.timeout(LISTING_TIMEOUT_MS)]);
    return await resultIn(await this.servers.sessions.list(target, signal));
  }
}

/** Checking, searching and digesting a definition takes a millisecond or more of the thread: other work has its turn between. */
async function definitionsIn(tools: readonly ListedTool[]) {
  const read: { tool: string; definition: ListedDefinition | RefusedDefinition }[] = [];
  for (const tool of tools) {
    const definition = definitionOf(tool);
    await turn();
    if (definition instanceof RefusedDefinition) read.push({ tool: tool.name, definition });
    else read.push({ tool: tool.name, definition: listedDefinition(definition) });
  }
  return read;
}

async function resultIn(listing: Listing): Promise<ListingSeen['result']> {
  if (listing.kind === 'failed') return { kind: 'failed', fault: listing.fault, reason: listing.reason };
  const { tools, refused, server, protocol_version } = listing;
  const read = await definitionsIn(tools);
  const faulty = read.flatMap(({ tool, definition }) =>
    definition instanceof RefusedDefinition ? [{ tool, reason: definition.reason }] : [],
  );
  return {
    kind: 'complete',
    definitions: read.flatMap(({ definition }) => (definition instanceof RefusedDefinition ? [] : [definition])),
    refused: [...refused.map(({ name, reason }) => ({ tool: name, reason })), ...faulty],
    server: `${server.name} ${server.version}`,
    protocol_version,
  };
}
