/** What changed, as `GET /v1/events` reports it. It contains no inputs and no outputs. */
export interface LiveEvent {
  kind: string;
  id: string;
  event_type: string;
  status?: string;
  case_id?: string;
  at: string;
  position?: string;
}

/** The names of the stream's events. Without `kinds` the gateway sends all that the person's roles show. */
export const LIVE_KINDS = [
  'call',
  'case',
  'approval',
  'saga',
  'ticket',
  'tool',
  'configuration',
  'security',
  'dead_letter',
  'damage',
] as const;

/** The event of a message; undefined for what is none. */
export function parseLiveEvent(text: string): LiveEvent | undefined {
  try {
    const value = JSON.parse(text) as Partial<LiveEvent> | null;
    return typeof value?.kind === 'string' && typeof value.id === 'string' ? (value as LiveEvent) : undefined;
  } catch {
    return undefined;
  }
}

/** A message of the stream as the tabs pass it on. */
export type LiveMessage =
  | { type: 'event'; cursor: string; event: LiveEvent }
  | { type: 'ready'; cursor: string }
  /** The cursor was too old: everything is read again. */
  | { type: 'reset'; cursor: string }
  | { type: 'state'; state: LiveState };

/** `off`: the gateway has no such stream, or refuses it. */
export type LiveState = 'connecting' | 'live' | 'cut' | 'off';

const REMEMBERED = 1_000;

/** Where a tab is in the stream: the cursor to resume from, and the events it has handled. */
export class StreamPlace {
  private readonly handled = new Set<string>();
  cursor: string | undefined;

  /** Whether a message is new. Moves the cursor on. */
  accept(message: LiveMessage): boolean {
    if (message.type === 'state') return true;
    if (message.type === 'reset') this.handled.clear();
    if (message.type === 'event') {
      if (this.handled.has(message.cursor)) return false;
      this.handled.add(message.cursor);
      const [oldest] = this.handled;
      if (this.handled.size > REMEMBERED && oldest !== undefined) this.handled.delete(oldest);
    }
    this.cursor = message.cursor;
    return true;
  }
}
