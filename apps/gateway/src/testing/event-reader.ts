/** One event of a stream. */
export interface ReadEvent {
  id: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of any shape
  data: any;
}

/** Reads a stream of server-sent events as a browser does: ids without data move the place where it resumes. */
export class EventReader {
  readonly events: ReadEvent[] = [];
  last_id = '';
  ended = false;
  status = 0;
  private readonly left = new AbortController();
  private arrived: (() => void)[] = [];

  private constructor() {}

  static async open(url: string, key: string, last_id = ''): Promise<EventReader> {
    const reader = new EventReader();
    const headers = { authorization: `Bearer ${key}`, ...(last_id === '' ? {} : { 'last-event-id': last_id }) };
    const response = await fetch(url, { headers, signal: reader.left.signal });
    reader.status = response.status;
    reader.last_id = last_id;
    void reader.read(response);
    return reader;
  }

  /** Resolves when enough events of this kind, or of any kind, have arrived. */
  async until(count: number, event?: string): Promise<ReadEvent[]> {
    for (;;) {
      const found = this.of(event);
      if (found.length >= count || this.ended) return found;
      await new Promise<void>((resolve) => this.arrived.push(resolve));
    }
  }

  of(event?: string): ReadEvent[] {
    return event === undefined ? this.events : this.events.filter((one) => one.event === event);
  }

  /** Resolves with the first event that fits. */
  async find(fits: (event: ReadEvent) => boolean): Promise<ReadEvent> {
    for (;;) {
      const found = this.events.find(fits);
      if (found || this.ended) return found as ReadEvent;
      await new Promise<void>((resolve) => this.arrived.push(resolve));
    }
  }

  close(): void {
    this.left.abort();
  }

  private async read({ body }: Response): Promise<void> {
    let text = '';
    try {
      for await (const chunk of (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
        text += chunk;
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          this.take(text.slice(0, end));
          text = text.slice(end + 2);
        }
      }
    } catch {
      // Left, or cut.
    }
    this.ended = true;
    this.wake();
  }

  private take(block: string): void {
    const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(': ') + 2)]));
    this.last_id = fields.get('id') ?? this.last_id;
    const data = fields.get('data');
    if (data === undefined) return;
    this.events.push({ id: this.last_id, event: fields.get('event') ?? 'message', data: JSON.parse(data) });
    this.wake();
  }

  private wake(): void {
    for (const resolve of this.arrived.splice(0)) resolve();
  }
}
