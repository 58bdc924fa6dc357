import { type Caller, Refusal, type Seen, Views, viewsBehind } from '@countersign/calls';
import { SEALED } from '@countersign/contracts';
import type { AuditEvent } from '@countersign/domain';
import type { LogRecord } from '@countersign/event-log';
import { plain } from '@countersign/evidence';
import { Injectable } from '@nestjs/common';
import type { Page } from '../lists/page-query.js';
import { AuditEvents } from './audit-events.js';
import { type AuditListQuery, filterOf } from './audit-queries.schemas.js';
import { AuditReads } from './audit-reads.js';
import { ViewsBehind } from './facts-of-calls.js';
import { parsePositions } from './list-cursor.js';

/** An audit event with `recorded_at`, the name that other responses use, besides `time`, the name in exports. */
type RecordedEvent = AuditEvent & { recorded_at: string };

const recorded = (event: AuditEvent): RecordedEvent => ({ ...event, recorded_at: event.time });

/** Refuses a request whose records the views do not have yet, instead of leaving them out. */
function refusedWhereBehind(cause: unknown): Refusal {
  if (cause instanceof ViewsBehind) return viewsBehind();
  throw cause;
}

const TOO_FAR = 'no event with this id was found within 2,000,000 records of its creation time: list the events of its call instead';

/** Audit events, read from the log. Reads are recorded: each that opens personal values, others as ranges. */
@Injectable()
export class AuditEventsService {
  constructor(
    private readonly events: AuditEvents,
    private readonly reads: AuditReads,
    private readonly views: Views,
  ) {}

  async list({ tenant_id, principal }: Caller, query: AuditListQuery, seen: Seen): Promise<Page<RecordedEvent> | Refusal> {
    if (!(await this.views.current(seen))) return viewsBehind();
    const window = await this.events.window(tenant_id, filterOf(query));
    if (!window) return new Refusal('not-found', 'the call or case does not exist', { reason: 'call_or_case_not_found' });
    const { cursor, ...requested } = query;
    const after = cursor === undefined ? {} : parsePositions(cursor);
    const page = await this.events.list(tenant_id, window, query.limit, after).catch(refusedWhereBehind);
    if (page instanceof Refusal) return page;
    await this.reads.count({ tenant_id, by: principal }, { what: 'events', query: requested, items: page.items.length });
    return { items: page.items.map(recorded), next_cursor: page.next_cursor };
  }

  /** The event with its whole record. */
  async read({ tenant_id, principal }: Caller, event_id: string): Promise<(RecordedEvent & { event: unknown }) | Refusal> {
    const record = await this.find(tenant_id, event_id);
    if (record instanceof Refusal) return record;
    const found = await this.events.describe(record).catch(refusedWhereBehind);
    if (!found || found instanceof Refusal) return found ?? noSuchEvent();
    const event = plain(found.event);
    const [by, read] = [{ tenant_id, by: principal }, { what: 'event', query: { event_id }, items: 1 } as const];
    await (JSON.stringify(event).includes(SEALED) ? this.reads.record({ ...by, ...read }) : this.reads.count(by, read));
    return { ...recorded(found.audit), event };
  }

  /** The record of an event, if it belongs to this tenant. */
  async find(tenant_id: string, event_id: string): Promise<LogRecord | Refusal> {
    const record = await this.events.find(tenant_id, event_id);
    return record === 'too_far' ? new Refusal('invalid-request', TOO_FAR) : (record ?? noSuchEvent());
  }
}

const noSuchEvent = (): Refusal => new Refusal('not-found', 'no event has this id', { reason: 'audit_event_not_found' });
