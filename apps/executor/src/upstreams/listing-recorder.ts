import { type EventCodec, firstMeta } from '@countersign/contracts';
import {
  type ConfigurationState,
  capacityBeside,
  decideListing,
  type ListingRecords,
  type ListingSeen,
  listingOf,
  type UpstreamTool,
  upstreamOf,
  upstreamToolsOf,
} from '@countersign/domain';
import type { EventLog, NewRecord } from '@countersign/event-log';
import { securityRecord } from '@countersign/process';
import type { FoldedCatalog } from '../announcer.js';

/** Of one append: below the largest batch that a broker takes, and so that encoding and folding it is a short turn of the event loop. */
const APPENDED_BYTES_MAX = 200_000;

/** Records what listings of upstreams say, as far as it is new. One at a time for a tenant: the bounds are those of all its upstreams. */
export class ListingRecorder {
  private turns = Promise.resolve<unknown>(undefined);

  constructor(
    private readonly log: Pick<EventLog, 'append'>,
    private readonly codec: EventCodec,
    private readonly catalog: FoldedCatalog,
  ) {}

  /** @returns whether something was recorded */
  record(tenant_id: string, seen: ListingSeen): Promise<boolean> {
    const turn = this.turns.then(() => this.recordNow(tenant_id, seen));
    this.turns = turn.catch(() => undefined);
    return turn;
  }

  private async recordNow(tenant_id: string, seen: ListingSeen): Promise<boolean> {
    const { state } = this.catalog;
    const before = listingOf(state, tenant_id, seen.upstream);
    const all = [...(state.by_tenant.get(tenant_id)?.upstream_listings?.values() ?? [])];
    const listings = all.filter(({ upstream }) => upstreamOf(state, tenant_id, upstream));
    const records = decideListing(before, seen, capacityBeside(listings, seen.upstream));
    if (!records) return false;
    const stood = standings(state, tenant_id, seen.upstream);
    for (const chunk of this.chunksOf(tenant_id, records, seen.listed_at_ms)) {
      const offsets = await this.log.append(chunk);
      await this.catalog.folded('tool-registered', Math.max(...offsets));
    }
    await this.tellChanges(tenant_id, seen, stood);
    return true;
  }

  /** Each is encoded when the one before it is on the record and folded. The listing comes after the definitions that it names. */
  private *chunksOf(tenant_id: string, records: ListingRecords, now_ms: number): Generator<NewRecord[]> {
    let chunk: NewRecord[] = [];
    let bytes = 0;
    for (const record of this.recordsOf(tenant_id, records, now_ms)) {
      if (chunk.length > 0 && bytes + record.value.length > APPENDED_BYTES_MAX) {
        yield chunk;
        chunk = [];
        bytes = 0;
      }
      chunk.push(record);
      bytes += record.value.length;
    }
    yield chunk;
  }

  private *recordsOf(tenant_id: string, { definitions, listed }: ListingRecords, now_ms: number): Generator<NewRecord> {
    const meta = () => firstMeta(tenant_id, now_ms);
    const newRecord = (event_type: string, value: Buffer): NewRecord => ({
      topic: 'tool-registered',
      partition: 0,
      key: listed.upstream,
      value,
      headers: { event_type },
    });
    for (const definition of definitions)
      yield newRecord('upstream_tool_listed', this.codec.encode('upstream_tool_listed', { meta: meta(), ...definition }));
    yield newRecord('upstream_listed', this.codec.encode('upstream_listed', { meta: meta(), ...listed }));
  }

  /** A security event for each tool that changed, was suspended or is gone. */
  private async tellChanges(tenant_id: string, { upstream, listed_at_ms }: ListingSeen, stood: ReadonlyMap<string, string>): Promise<void> {
    const tools = upstreamToolsOf(this.catalog.state, tenant_id, upstream);
    const changed = tools.filter((tool) => isNews(tool) && stood.get(tool.tool) !== standingText(tool));
    if (changed.length === 0) return;
    const records = changed.map(({ tool, name, state, why }) => {
      const detail = JSON.stringify({ upstream, tool, name: name ?? null, state, why: why ?? null });
      const event = {
        meta: firstMeta(tenant_id, listed_at_ms),
        kind: 'upstream_tool_changed',
        detail,
        principal: null,
        recorded_at_ms: listed_at_ms,
      };
      return securityRecord(this.codec, `${upstream}/${tool}`.slice(0, 255), event);
    });
    await this.log.append(records);
  }
}

const isNews = ({ state }: UpstreamTool): boolean => state === 'pending_change' || state === 'suspended' || state === 'gone';
const standingText = ({ state, listed }: UpstreamTool): string => `${state} ${listed?.digest ?? ''}`;

function standings(state: ConfigurationState, tenant_id: string, upstream: string): ReadonlyMap<string, string> {
  return new Map(upstreamToolsOf(state, tenant_id, upstream).map((tool) => [tool.tool, standingText(tool)]));
}
