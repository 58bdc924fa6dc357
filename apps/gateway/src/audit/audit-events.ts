import { callTopics, parseCallId, parseTopic } from '@countersign/contracts';
import { type AuditEvent, unpackCall } from '@countersign/domain';
import { BatchDecoder, type LogRecord } from '@countersign/event-log';
import type { AppDeps } from '@countersign/process';
import { type CallRow, readCall, readCase } from '@countersign/store';
import { EventLookup, type LogPartition } from './event-lookup.js';
import { FactsOfCalls } from './facts-of-calls.js';
import { cursorOf, type Positions } from './list-cursor.js';
import { CLOCK_SLACK_MS, LogMerge, type LogStretch, type Merged, type Wanted } from './log-merge.js';
import type { Refusals } from './refusals.js';

/** Filter of audit events. Times are append times, epoch ms: [from_ms, to_ms). */
export interface AuditFilter {
  from_ms?: number | undefined;
  to_ms?: number | undefined;
  call_id?: string | undefined;
  case_id?: string | undefined;
  type?: string | undefined;
  /** `kind:id`, or only the id. */
  caller?: string | undefined;
}

/** A filter with its time window. Without times, the window of a call or case is from its first to its last event. */
export type AuditWindow = AuditFilter & { from_ms: number; to_ms: number };

export interface AuditPage {
  items: AuditEvent[];
  next_cursor: string | null;
  window: AuditWindow;
}

/** Maximum of records read for one page. A page may be short, or empty, and still have a next page. */
const READS_MAX = 50_000;
/** Late votes, cancellations and results can follow the end of a call. */
const LATE_MS = 300_000;

/** Audit events, read from the log: no table stores them. */
export class AuditEvents {
  private readonly decoder: BatchDecoder;
  private readonly lookup: EventLookup;

  constructor(
    private readonly deps: Pick<AppDeps, 'log' | 'codec' | 'schemas' | 'store' | 'clock'>,
    private readonly topics: ReadonlySet<string>,
    readonly refusals: Refusals,
  ) {
    this.decoder = new BatchDecoder(deps.codec, deps.schemas);
    this.lookup = new EventLookup(deps.log);
  }

  /** The time window of a filter; undefined if its call or case does not exist in this tenant. */
  async window(tenant_id: string, filter: AuditFilter): Promise<AuditWindow | undefined> {
    const { store } = this.deps;
    const whole = { ...filter, from_ms: filter.from_ms ?? 0, to_ms: filter.to_ms ?? Number.MAX_SAFE_INTEGER };
    if (filter.call_id !== undefined) {
      const row = parseCallId(filter.call_id) && (await readCall(store, tenant_id, filter.call_id));
      return row && { ...whole, from_ms: filter.from_ms ?? row.requested_at_ms - CLOCK_SLACK_MS, to_ms: filter.to_ms ?? lastOf(row) };
    }
    if (filter.case_id !== undefined) {
      const row = await readCase(store, tenant_id, filter.case_id);
      return row && { ...whole, from_ms: filter.from_ms ?? row.opened_at_ms - CLOCK_SLACK_MS };
    }
    return whole;
  }

  /** A page, oldest first. `after`: the end of the previous page. @throws ViewsBehind */
  async list(tenant_id: string, window: AuditWindow, limit: number, after: Positions = {}): Promise<AuditPage> {
    const merge = this.merge(tenant_id, window, await this.stretches(window, after));
    const facts = new FactsOfCalls(this.deps.store, this.refusals);
    const items: AuditEvent[] = [];
    for (;;) {
      const merged: Merged[] = [];
      let next = await merge.next(READS_MAX);
      for (; next !== undefined && next !== 'pause'; next = await merge.next(READS_MAX)) {
        if (merged.push(next) === limit - items.length) break;
      }
      items.push(...(await facts.complete(merged)).filter((event) => fits(event, window)));
      if (next === undefined) return { items, next_cursor: null, window };
      if (next === 'pause' || items.length === limit) return { items, next_cursor: cursorOf(merge.positions()), window };
    }
  }

  /** The record with this event_id, if it belongs to this tenant. */
  find(tenant_id: string, event_id: string): Promise<LogRecord | 'too_far' | undefined> {
    return this.lookup.find(event_id, tenant_id, this.partitions());
  }

  /** Converts a record to its audit event and its decoded event. @throws ViewsBehind */
  async describe(record: LogRecord): Promise<{ audit: AuditEvent; event: unknown } | undefined> {
    const { events } = await this.decoder.decode([record]);
    const at = events[0] as Merged['at'] | undefined;
    if (!at) return undefined;
    const [audit] = await new FactsOfCalls(this.deps.store, this.refusals).complete([{ at, record, order_ms: record.timestamp_ms }]);
    return audit && { audit, event: at.event };
  }

  merge(tenant_id: string, window: AuditWindow, stretches: readonly LogStretch[]): LogMerge {
    const { type, call_id, from_ms, to_ms } = window;
    const matches: Wanted['matches'] = (meta, record) =>
      meta.tenant_id === tenant_id &&
      (call_id === undefined || meta.call_id === call_id) &&
      (type === undefined || (record.headers.event_type ?? type) === type);
    return new LogMerge(this.deps.log, this.decoder, stretches, { from_ms, to_ms, matches });
  }

  /** The log ranges that a window covers, up to the current durable end. */
  stretches(window: AuditWindow, after: Positions = {}): Promise<LogStretch[]> {
    const { log } = this.deps;
    return Promise.all(
      this.partitions(window.call_id).map(async ({ topic, partition }) => {
        const end = await log.head(topic, partition);
        const first = await log.first(topic, partition);
        const known = after[topic]?.[String(partition)];
        const from = known ?? (window.from_ms > 0 ? await log.since(topic, partition, window.from_ms - CLOCK_SLACK_MS) : 0);
        return { topic, partition, from: Math.max(first, from), end };
      }),
    );
  }

  /** The partition of the call; without a call, all partitions. */
  private partitions(call_id?: string): LogPartition[] {
    const own = call_id === undefined ? undefined : parseCallId(call_id)?.partition;
    const isCallTopic = (topic: string) => (callTopics as readonly string[]).includes(parseTopic(topic).topic);
    return [...this.topics].flatMap((topic) => {
      const all = Array.from({ length: this.deps.log.partitions(topic) }, (_, partition) => ({ topic, partition }));
      return own === undefined || !isCallTopic(topic) ? all : all.filter(({ partition }) => partition === own);
    });
  }
}

/** Applies the filters that need the decoded event. */
export function fits(event: AuditEvent, { case_id, caller, type }: AuditFilter): boolean {
  if (type !== undefined && event.type !== type) return false;
  if (case_id !== undefined && event.case_id !== case_id) return false;
  return caller === undefined || event.caller === caller || event.caller?.slice(event.caller.indexOf(':') + 1) === caller;
}

function lastOf({ state }: CallRow): number {
  const { end, approval_end, ruling } = unpackCall(state);
  const last = end?.at_ms ?? approval_end?.at_ms ?? (ruling?.effect === 'deny' ? ruling.decided_at_ms : undefined);
  return last === undefined ? Number.MAX_SAFE_INTEGER : last + LATE_MS;
}
