import type { ServerResponse } from 'node:http';
import { type Caller, Refusal, type Timed, type TimerWheel } from '@countersign/calls';
import type { Problem } from '../http/problem.js';
import type { HttpReply, HttpRequest } from '../http/reply.js';
import type { RequestAccess } from '../http/request-access.js';
import { type CloseReason, EventStream } from './event-stream.js';
import type { StreamKind, StreamPlaces } from './stream-places.js';

/** Heartbeat period of every stream. */
const BEAT_MS = 15_000;
/** Streams get their heartbeat in groups, one after the other, so that no turn of the event loop is long. */
const GROUPS = 60;

const HEAD = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

/** An open response that has a place: an event stream, or a stream that another protocol writes. */
export interface HeldStream {
  readonly caller: Caller;
  readonly opened_ms: number;
  /** Nothing more will be written. */
  readonly over: boolean;
  /** Ends the stream early. */
  close(reason: CloseReason): void;
  /** Destroys the connection. */
  cut(): void;
  /** Checks the reader, every 15 s. */
  beat(): void;
  disconnected(): void;
}

interface Member {
  stream: HeldStream;
  request: HttpRequest;
}

/**
 * The event streams of this gateway. One timer serves all of them: it sends heartbeats and ends a stream whose reader reads nothing, whose
 * credential is no longer valid, or which is older than `age_max_ms`. So a half-open connection keeps its place for at most `age_max_ms`
 * and two heartbeats, whatever the operating system reports.
 */
export class OpenStreams implements Timed {
  private readonly groups: Set<Member>[] = Array.from({ length: GROUPS }, () => new Set<Member>());
  private entered = 0;
  private beaten = 0;
  private size = 0;
  slot: number | null = null;

  constructor(
    private readonly places: StreamPlaces,
    private readonly access: Pick<RequestAccess, 'admit' | 'prepare'>,
    private readonly wheel: Pick<TimerWheel, 'add' | 'remove'>,
    private readonly time: { monotonic_ms(): number; age_max_ms: number },
  ) {}

  /** Responds with a stream. @returns a problem, or undefined if the client has already disconnected. */
  open(request: HttpRequest, reply: HttpReply, caller: Caller, kind: StreamKind): EventStream | Problem | undefined {
    const { raw } = reply;
    const opened_ms = this.time.monotonic_ms();
    const stream = new EventStream(raw, caller, opened_ms, (reason) => this.places.noteClosed(reason));
    const held = this.hold(request, raw, stream, kind);
    if (held !== true) return held;
    reply.hijack();
    raw.writeHead(200, HEAD);
    raw.write('retry: 1000\n\n');
    return stream;
  }

  /**
   * Gives a response of its own protocol a place until its connection closes. @returns true, a problem, or undefined if the client has
   * already disconnected.
   */
  hold(request: HttpRequest, raw: ServerResponse, stream: HeldStream, kind: StreamKind): true | Problem | undefined {
    const { socket } = request.raw;
    if (raw.destroyed || raw.closed || socket.destroyed) return undefined;
    const refused = this.places.take(stream.caller, kind);
    if (refused) return refused;
    const leave = this.enter({ stream, request }, kind);
    const onClose = () => {
      socket.off('close', onClose);
      stream.disconnected();
      leave();
    };
    // A response queued behind another one of its connection gets no `close` event: listen on the socket too.
    raw.once('close', onClose);
    socket.once('close', onClose);
    return true;
  }

  due(): void {
    const group = this.groups[this.beaten] as Set<Member>;
    this.beaten = (this.beaten + 1) % GROUPS;
    for (const member of group) this.beat(member);
    if (this.size > 0) this.schedule();
  }

  /** Closes every stream because this gateway shuts down. */
  close(): void {
    for (const group of this.groups) for (const { stream } of group) stream.close('shutdown');
  }

  /** @returns a function that releases the place once. */
  private enter(member: Member, kind: StreamKind): () => void {
    const group = this.groups[this.laterGroup()] as Set<Member>;
    group.add(member);
    this.size++;
    if (this.slot === null) this.schedule();
    return () => {
      if (!group.delete(member)) return;
      this.size--;
      this.places.release(member.stream.caller, kind);
      if (this.size === 0) this.wheel.remove(this);
    };
  }

  /** One of the groups that get their next heartbeat last, in rotation, so that streams opened together are spread over the groups. */
  private laterGroup(): number {
    const half = GROUPS / 2;
    return (this.beaten + half + (this.entered++ % half)) % GROUPS;
  }

  private schedule(): void {
    this.wheel.add(this, BEAT_MS / GROUPS);
  }

  private beat({ stream, request }: Member): void {
    const over_ms = this.time.monotonic_ms() - stream.opened_ms - this.time.age_max_ms;
    if (over_ms >= 2 * BEAT_MS) stream.cut();
    else if (over_ms >= 0 && !stream.over) stream.close('max_age');
    else {
      stream.beat();
      const prepared = this.access.prepare(request);
      if (prepared) void prepared.then(() => this.checkCaller(stream, request));
      else this.checkCaller(stream, request);
    }
  }

  /** Also ends the streams of a revoked key or an expired token. */
  private checkCaller(stream: HeldStream, request: HttpRequest): void {
    if (stream.over) return;
    const caller = this.access.admit(request, []);
    // If the gateway cannot check the credential now, the stream stays open: a new request would fail for the same reason.
    if (caller instanceof Refusal && (caller.kind === 'unauthenticated' || caller.kind === 'forbidden')) stream.close('credential_ended');
  }
}
