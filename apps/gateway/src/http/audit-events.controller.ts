import { Refusal, Views, viewsBehind } from '@countersign/calls';
import { plain } from '@countersign/evidence';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { AuditRoom } from '../audit/audit-room.js';
import { ViewsBehind } from '../audit/facts-of-calls.js';
import { parsePositions } from '../audit/list-cursor.js';
import { auditListQuery, badCursor, filterOf } from './audit-query.js';
import { Face } from './face.js';
import { queryOf } from './from-query.js';
import { seenOf } from './positions.js';
import { type HttpReply, type HttpRequest, ok } from './reply.js';

export const tooFar = (): Refusal =>
  new Refusal(
    'invalid-request',
    'an event of this id was not found in 2,000,000 records after it was made: list the events of its call instead',
  );

/** `/v1/audit/events`: what stands on the log, read from the log. Who reads is on the record too. */
@Controller('v1/audit/events')
export class AuditEventsController {
  constructor(
    private readonly face: Face,
    private readonly room: AuditRoom,
    private readonly views: Views,
  ) {}

  /** Oldest first. A page may be short, or empty, and have a next one: so much of the log is read for each. */
  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['auditor'], async ({ tenant_id, principal }) => {
      const query = queryOf(request, auditListQuery);
      if (query instanceof Refusal) return query;
      const after = query.cursor === undefined ? {} : parsePositions(query.cursor);
      if (!after) return badCursor();
      if (!(await this.views.current(seenOf(request)))) return viewsBehind();
      const window = await this.room.events.window(tenant_id, filterOf(query));
      if (!window) return new Refusal('not-found', 'there is no such call or case');
      const page = await this.room.events.list(tenant_id, window, query.limit, after).catch(behind);
      if (page instanceof Refusal) return page;
      const { cursor: _place, ...asked } = query;
      await this.room.reads.record({ tenant_id, by: principal, what: 'events', query: asked, items: page.items.length });
      return ok({ items: page.items, next_cursor: page.next_cursor });
    });
  }

  @Get(':event_id')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['auditor'], async ({ tenant_id, principal }) => {
      const { event_id } = request.params as { event_id: string };
      const record = await this.room.events.find(tenant_id, event_id);
      if (record === 'too_far') return tooFar();
      const found = record && (await this.room.events.describe(record).catch(behind));
      if (!found) return new Refusal('not-found', 'there is no event of this id');
      if (found instanceof Refusal) return found;
      await this.room.reads.record({ tenant_id, by: principal, what: 'event', query: { event_id }, items: 1 });
      return ok({ ...found.audit, event: plain(found.event) });
    });
  }
}

/** What the views don't show yet is said, never left out. */
function behind(cause: unknown): Refusal {
  if (cause instanceof ViewsBehind) return viewsBehind();
  throw cause;
}
