import { type Caller, Refusal } from '@countersign/calls';
import { Injectable } from '@nestjs/common';
import { type HttpReply, type HttpRequest, headerOf } from '../http/reply.js';
import { positionText } from '../positions/positions.js';
import { OpenStreams } from '../streams/open-streams.js';
import type { StreamKind } from '../streams/stream-places.js';
import type { Change } from './change.js';
import { EventFeeds } from './event-feeds.js';
import type { EventKind } from './event-kinds.js';
import { approvalText, changeText } from './event-texts.js';
import type { StreamForm } from './reader-stream.js';

const PENDING_MAX = 2_000;
/** An approval with its call is some kilobytes. */
const APPROVALS_MAX = 300;

/** A request for a stream. */
export interface StreamRequest {
  request: HttpRequest;
  reply: HttpReply;
  caller: Caller;
}

const badCursor = (): Refusal<string> => {
  const message = 'is not a cursor of an event stream: leave it out, and read your lists again';
  return new Refusal('invalid-request', `cursor ${message}`, { issues: [{ path: '/cursor', code: 'cursor', message }] });
};

const position = ({ topic, partition, offset }: Change): string => positionText({ topic, partition, offset });

/** Opens the event streams of a tenant. */
@Injectable()
export class EventsService {
  constructor(
    private readonly feeds: EventFeeds,
    private readonly streams: OpenStreams,
  ) {}

  /** Names what changes. */
  changes(from: StreamRequest, kinds: ReadonlySet<EventKind>, cursor: string | undefined) {
    const text = (change: Change) => changeText(change, position(change));
    return this.open(from, 'events', { kinds, approvals: false, pending_max: PENDING_MAX, text }, cursor);
  }

  /** Sends approvals as the list shows them. */
  approvals(from: StreamRequest, cursor: string | undefined) {
    const text = (change: Change, caller: Caller) => approvalText(change, position(change), caller);
    return this.open(
      from,
      'approvals',
      { kinds: new Set(['approval'] as const), approvals: true, pending_max: APPROVALS_MAX, text },
      cursor,
    );
  }

  private async open({ request, reply, caller }: StreamRequest, kind: StreamKind, form: StreamForm, given: string | undefined) {
    const text = headerOf(request, 'last-event-id') || given;
    const cursor = await this.feeds.cursorOf(text);
    if (cursor === 'malformed') return badCursor();
    const out = this.streams.open(request, reply, caller, kind);
    if (!out || out instanceof Refusal) return out;
    void this.feeds.open({ out, caller, form, cursor });
    return undefined;
  }
}
