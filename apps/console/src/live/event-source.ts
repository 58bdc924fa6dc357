import { LIVE_KINDS, type LiveMessage, parseLiveEvent } from './live-event.js';

const RETRY_FIRST_MS = 1_000;
const RETRY_LONGEST_MS = 30_000;

/** Reads `GET /v1/events` from a cursor until it is closed. A cut is resumed by the browser; a refusal is tried again with growing pauses. */
export class LiveSource {
  private source: EventSource | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pause_ms = RETRY_FIRST_MS;
  private is_closed = false;

  /** @param refused finds out why the stream was refused, for example that the session has ended */
  constructor(
    private readonly cursor: () => string | undefined,
    private readonly pass: (message: LiveMessage) => void,
    private readonly refused: () => void,
  ) {}

  open(): void {
    if (this.is_closed) return;
    const from = this.cursor();
    const source = new EventSource(from === undefined ? '/v1/events' : `/v1/events?${new URLSearchParams({ cursor: from })}`);
    this.source = source;
    source.onopen = () => {
      this.pause_ms = RETRY_FIRST_MS;
      this.pass({ type: 'state', state: 'live' });
    };
    source.onerror = () => this.failed(source);
    source.addEventListener('ready', ({ lastEventId }) => this.pass({ type: 'ready', cursor: lastEventId }));
    source.addEventListener('reset', ({ lastEventId }) => this.pass({ type: 'reset', cursor: lastEventId }));
    for (const kind of LIVE_KINDS) source.addEventListener(kind, (message) => this.received(message));
  }

  close(): void {
    this.is_closed = true;
    clearTimeout(this.timer);
    this.source?.close();
  }

  private received({ data, lastEventId }: MessageEvent<string>): void {
    const event = parseLiveEvent(data);
    if (event) this.pass({ type: 'event', cursor: lastEventId, event });
  }

  private failed(source: EventSource): void {
    if (this.is_closed) return;
    const is_refused = source.readyState === EventSource.CLOSED;
    this.pass({ type: 'state', state: is_refused ? 'off' : 'cut' });
    if (!is_refused) return;
    this.refused();
    this.timer = setTimeout(() => this.open(), this.pause_ms);
    this.pause_ms = Math.min(this.pause_ms * 2, RETRY_LONGEST_MS);
  }
}
