import { setTimeout as sleep } from 'node:timers/promises';
import { EventBlocks } from './event-blocks.js';
import { problemOfResponse } from './exchange.js';
import type { Problem } from './wire.js';

export type TenantEventKind =
  | ('call' | 'case' | 'approval' | 'saga' | 'ticket')
  | ('tool' | 'configuration' | 'security' | 'dead_letter' | 'damage');

/** What changed: the item, the record that changed it, and its status after that. */
export interface TenantChange {
  kind: TenantEventKind;
  id: string;
  event_type: string;
  status?: string;
  case_id?: string;
  at: string;
  /** Sent back as `Countersign-Position`, a read waits until it shows the change. */
  position: string;
}

/** `ready`: the stream starts. `reset`: events are missing, so read your lists again. Resume after an event with its `cursor`. */
export type TenantEvent =
  | { event: 'ready'; cursor: string; kinds: TenantEventKind[] }
  | { event: 'reset'; cursor: string; reason: string }
  | { event: 'change'; cursor: string; change: TenantChange };

export interface TenantEventsOptions {
  /** Absent: all that the credential may see. */
  kinds?: readonly TenantEventKind[];
  /** Resumes after the event with this cursor. Absent: from now on. */
  cursor?: string;
  /** Ends the iteration. */
  signal?: AbortSignal;
}

/** The gateway refuses the stream, so that repeating the request has no sense. */
export class EventsRefused extends Error {
  constructor(readonly problem: Problem) {
    super(`the gateway refuses the events: ${problem.detail ?? problem.title}`);
  }
}

const PAUSES_MS = { first: 250, longest: 15_000 };
/** The gateway sends something every 15 s: after this time the connection counts as lost. */
const SILENCE_MAX_MS = 45_000;
const TRANSIENT = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Opens a stream after the event with this cursor. */
export type OpenEvents = (cursor: string | undefined, signal: AbortSignal) => Promise<Response>;

/**
 * The events of a tenant, across connections: a lost one is opened again after the last event, so that none is missing and none comes
 * twice.
 * @throws EventsRefused if the credential is refused
 */
export async function* tenantEvents(open: OpenEvents, { cursor, signal }: TenantEventsOptions): AsyncGenerator<TenantEvent, void> {
  let at = cursor;
  let has_started = false;
  for (let pause_ms = PAUSES_MS.first; !signal?.aborted; pause_ms = Math.min(pause_ms * 2, PAUSES_MS.longest)) {
    const connection = new Connection(open, at, signal);
    for await (const { id, event } of connection.events()) {
      if (id !== undefined) at = id;
      if (!event) continue;
      pause_ms = PAUSES_MS.first;
      // The reader knows where it resumed.
      if (event.event === 'ready' && has_started) continue;
      has_started = true;
      yield event;
    }
    if (!(await pause(pause_ms, signal))) return;
  }
}

const pause = (ms: number, signal: AbortSignal | undefined): Promise<boolean> => sleep(ms, true, { signal }).catch(() => false);

/** One connection: from its request until it is lost. */
class Connection {
  private readonly silence = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly open: OpenEvents,
    private readonly cursor: string | undefined,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** Ids and events as they arrive; ends when the connection is lost. @throws EventsRefused */
  async *events(): AsyncGenerator<{ id: string | undefined; event: TenantEvent | undefined }, void> {
    try {
      const response = await this.request();
      if (!response?.body) return;
      const blocks = new EventBlocks();
      for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
        this.watch();
        for (const { id, event, data } of blocks.take(text)) yield { id, event: eventOf(id, event, data) };
      }
    } catch (cause) {
      if (cause instanceof EventsRefused) throw cause;
    } finally {
      clearTimeout(this.timer);
      this.silence.abort();
    }
  }

  private async request(): Promise<Response | undefined> {
    this.watch();
    const signals = [this.silence.signal, ...(this.signal ? [this.signal] : [])];
    const response = await this.open(this.cursor, AbortSignal.any(signals));
    if (response.ok) return response;
    const problem = await problemOfResponse(response);
    if (!TRANSIENT.has(response.status)) throw new EventsRefused(problem);
    return undefined;
  }

  private watch(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.silence.abort(), SILENCE_MAX_MS);
  }
}

/** Undefined for an event that says nothing about the tenant, such as `closed`. */
function eventOf(id: string | undefined, name: string | undefined, text: string | undefined): TenantEvent | undefined {
  if (id === undefined || name === undefined || text === undefined) return undefined;
  const data = JSON.parse(text) as never;
  if (name === 'ready') return { event: 'ready', cursor: id, kinds: (data as { kinds: TenantEventKind[] }).kinds };
  if (name === 'reset') return { event: 'reset', cursor: id, reason: (data as { reason: string }).reason };
  return { event: 'change', cursor: id, change: data as TenantChange };
}
