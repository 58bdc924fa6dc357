import type { Change, ChangeRecord } from './change.js';
import type { ChangeDetails, ShownKinds } from './change-details.js';
import type { EventKind } from './event-kinds.js';
import type { Place } from './log-layout.js';
import type { ReaderStream } from './reader-stream.js';

/** Records whose details are read at once. */
const AT_ONCE = 500;
/** Records of one tenant that wait for their details. Beyond it its readers are told to read their lists again. */
const WAITING_MAX = 20_000;

/** The open streams of one tenant. Its records wait only for each other, so that no tenant delays another one. */
export class TenantReaders {
  readonly streams = new Set<ReaderStream>();
  private waiting: ChangeRecord[] = [];
  private working = false;
  private next: { shown: Place; onShown(): void } | undefined;

  constructor(
    readonly tenant_id: string,
    private readonly details: ChangeDetails,
    /** The streams were given everything up to this place. */
    private shown: Place,
  ) {}

  /** Gives the records up to this place to the streams. `onShown` follows once they have them. */
  show(records: readonly ChangeRecord[], shown: Place, onShown: () => void): void {
    for (const record of records) this.waiting.push(record);
    if (this.waiting.length > WAITING_MAX) {
      this.waiting = [];
      for (const stream of this.streams) stream.reset('too_many_changes', shown);
    }
    if (this.working) this.next = { shown, onShown };
    else if (this.waiting.length === 0) this.shown = shown;
    else void this.work({ shown, onShown });
  }

  /** If the views cannot be read, the streams are closed: their readers resume. */
  private async work(first: { shown: Place; onShown(): void }): Promise<void> {
    this.working = true;
    for (let step: typeof this.next = first; step; ) {
      const records = this.waiting;
      this.waiting = [];
      this.next = undefined;
      try {
        for (let from = 0; from < records.length && this.streams.size > 0; from += AT_ONCE)
          await this.offer(records.slice(from, from + AT_ONCE), step.shown);
      } catch {
        for (const stream of [...this.streams]) stream.fail();
      }
      this.shown = step.shown;
      step.onShown();
      step = this.next;
    }
    this.working = false;
  }

  private async offer(records: readonly ChangeRecord[], shown: Place): Promise<void> {
    const changes = await this.details.of(this.tenant_id, records, this.kinds());
    for (const stream of this.streams) stream.offer(changes, shown);
  }

  /** Sends what the streams may send now. @returns whether changes wait for the rate of a stream */
  flush(textOf: (place: Place) => string, now_ms: number): boolean {
    const { shown } = this;
    let waits = false;
    for (const stream of this.streams) waits = stream.flush(shown, () => textOf(shown), now_ms) || waits;
    return waits;
  }

  /** The changes of a backlog, for one of the streams. */
  changes(records: readonly ChangeRecord[], stream: ReaderStream): Promise<Change[]> {
    return this.details.of(this.tenant_id, records, stream.form);
  }

  private kinds(): ShownKinds {
    const kinds = new Set<EventKind>([...this.streams].flatMap(({ form }) => [...form.kinds]));
    return { kinds, approvals: [...this.streams].some(({ form }) => form.approvals) };
  }
}
