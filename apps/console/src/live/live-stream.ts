import { LiveSource } from './event-source.js';
import { type LiveEvent, type LiveMessage, type LiveState, StreamPlace } from './live-event.js';

const NAME = 'countersign:live';

/** What a tab does with the stream. */
export interface LiveListener {
  changed: (event: LiveEvent) => void;
  /** Something may have been missed: read everything again. */
  missed: () => void;
  state: (state: LiveState) => void;
  /** The gateway refuses the stream. */
  refused: () => void;
}

/**
 * The live stream of a browser: the tab that holds the lock reads it and passes each message on to the others. When that tab closes, the
 * next one resumes from the last message that it has seen. Tabs of different people do not share a channel.
 */
export class LiveStream {
  private readonly place = new StreamPlace();
  private readonly channel: BroadcastChannel;
  private readonly closing = new AbortController();
  private source: LiveSource | undefined;
  private last_state: LiveState = 'connecting';

  constructor(
    private readonly person: string,
    private readonly listener: LiveListener,
  ) {
    this.channel = new BroadcastChannel(`${NAME}:${person}`);
    this.channel.onmessage = ({ data }: MessageEvent<LiveMessage | 'hello'>) => this.heard(data);
  }

  open(): void {
    this.channel.postMessage('hello');
    const until_closed = () => this.lead();
    navigator.locks.request(`${NAME}:${this.person}`, { signal: this.closing.signal }, until_closed).catch(() => undefined);
    window.addEventListener('pageshow', this.shownAgain, { signal: this.closing.signal });
  }

  close(): void {
    this.closing.abort();
    this.source?.close();
    this.channel.close();
  }

  /** Reads the stream until this tab closes it: so long it holds the lock. */
  private lead(): Promise<void> {
    if (this.closing.signal.aborted) return Promise.resolve();
    const pass = (message: LiveMessage) => {
      this.channel.postMessage(message);
      this.handle(message);
    };
    this.source = new LiveSource(() => this.place.cursor, pass, this.listener.refused);
    this.source.open();
    return new Promise((resolve) => this.closing.signal.addEventListener('abort', () => resolve(), { once: true }));
  }

  private heard(data: LiveMessage | 'hello'): void {
    if (data !== 'hello') this.handle(data);
    else if (this.source) this.tellPlace();
  }

  /** A new tab learns from the reading one where the stream is. */
  private tellPlace(): void {
    const { cursor } = this.place;
    this.channel.postMessage({ type: 'state', state: this.last_state } satisfies LiveMessage);
    if (cursor !== undefined) this.channel.postMessage({ type: 'ready', cursor } satisfies LiveMessage);
  }

  private handle(message: LiveMessage): void {
    if (!this.place.accept(message)) return;
    if (message.type === 'event') this.listener.changed(message.event);
    if (message.type === 'reset' || message.type === 'ready') this.listener.missed();
    if (message.type === 'state') {
      this.last_state = message.state;
      this.listener.state(message.state);
    }
  }

  /** A page that the browser had frozen has missed what its channel carried. */
  private readonly shownAgain = (event: PageTransitionEvent): void => {
    if (event.persisted) this.listener.missed();
  };
}
