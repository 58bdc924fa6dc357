import { type Caller, Readable, Refusal, type Seen, Views } from '@countersign/calls';
import { InfrastructureFault } from '@countersign/contracts';
import { type LogPosition, type ReadSaga, readSaga } from '@countersign/store';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../http/access.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { type HttpReply, type HttpRequest, headerOf } from '../http/reply.js';
import { SeenPositions } from '../positions/seen-positions.decorator.js';
import { EventStreamAnswer } from '../streams/event-stream.decorator.js';
import { OpenStreams } from '../streams/open-streams.js';
import { positionOf } from './saga-answers.service.js';
import { detailsOf } from './saga-details.js';
import { SagaStream, type ShownSaga } from './saga-stream.js';
import { SagaWatches } from './saga-watches.js';
import { sagaNotFound } from './sagas.service.js';

/** Offset of the newest record that a part of the saga shows, and one more once it has ended. */
function newestOffset({ saga, steps, waits, tickets, skips }: ReadSaga): number {
  const ofSteps = steps.flatMap((row) => [row.source_offset, row.requested_offset, row.end_offset, row.undo_offset, row.evidence_offset]);
  const others = [
    ...waits.map((row) => row.opened_offset),
    ...tickets.map((row) => row.opened_offset),
    ...skips.map((row) => row.source_offset),
  ];
  const newest = Math.max(saga.source_offset, saga.paused_offset ?? 0, ...others, ...ofSteps.map((offset) => offset ?? 0));
  return saga.ended_at_ms === null ? newest : newest + 1;
}

/** How long the views may take to show a record, ms. */
const SHOWN_WITHIN_MS = 10_000;

/** `GET /v1/sagas/{saga_id}/events`: server-sent events; `Last-Event-ID` resumes a broken stream. */
@ApiTags('sagas')
@Controller('v1/sagas')
export class SagaEventsController {
  constructor(
    private readonly views: Views,
    private readonly streams: OpenStreams,
    private readonly watches: SagaWatches,
    private readonly readable: Readable,
  ) {}

  @Get(':saga_id/events')
  @Roles()
  @ApiOperation({ summary: 'Follow a saga' })
  @EventStreamAnswer()
  async events(
    @CurrentCaller() caller: Caller,
    @Param('saga_id') saga_id: string,
    @SeenPositions() seen: Seen,
    @Req() request: HttpRequest,
    @Res() reply: HttpReply,
  ) {
    await this.views.current(seen);
    const found = await this.shown(caller, saga_id);
    return found ? this.stream({ request, reply, caller }, saga_id, found) : sagaNotFound();
  }

  private async stream(
    { request, reply, caller }: { request: HttpRequest; reply: HttpReply; caller: Caller },
    saga_id: string,
    found: ShownSaga,
  ): Promise<Refusal<string> | undefined> {
    const { tenant_id } = caller;
    const last = headerOf(request, 'last-event-id') ?? '';
    const seen = /^\d{1,15}$/.test(last) ? Number(last) : -1;
    // 204 stops an EventSource from reconnecting.
    if (found.saga.ended_at !== null && found.offset <= seen) {
      reply.code(204).send();
      return undefined;
    }
    const out = this.streams.open(request, reply, caller, 'saga');
    if (!out || out instanceof Refusal) return out;
    const text = (saga: ShownSaga['saga']) => this.readable.text(tenant_id, JSON.stringify(saga));
    const stream = new SagaStream(out, (after) => this.shownAfter([positionOf(after)], caller, saga_id), text);
    const stop = this.watches.follow(tenant_id, saga_id, stream);
    out.whenLeft(() => {
      stream.leave();
      stop();
    });
    // A record between the first look and the watch is in the second look.
    await stream.begin(() => this.shownAfter(this.watches.takenBefore(found.partition), caller, saga_id));
    return undefined;
  }

  /** @throws InfrastructureFault if the views do not have these records in time */
  private async shownAfter(positions: readonly LogPosition[], caller: Caller, saga_id: string): Promise<ShownSaga> {
    const isCurrent = await this.views.current({ positions, wait_ms: SHOWN_WITHIN_MS });
    const found = isCurrent ? await this.shown(caller, saga_id) : undefined;
    if (!found) throw new InfrastructureFault('the views do not show the saga yet');
    return found;
  }

  private async shown({ tenant_id }: Caller, saga_id: string): Promise<ShownSaga | undefined> {
    const found = await readSaga(this.views.store, tenant_id, saga_id);
    return found && { offset: newestOffset(found), partition: found.saga.source_partition, saga: detailsOf(found) };
  }
}
