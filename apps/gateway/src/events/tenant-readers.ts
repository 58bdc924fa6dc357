import type { Change, ChangeRecord } from './change.js';
import type { ChangeDetails, ShownKinds } from './change-details.js';
import type { EventKind } from './event-kinds.js';
import type { Place } from './log-layout.js';
import type { ReaderStream } from './reader-stream.js';

/** Records whose details are read at once. */
const AT_ONCE = 500;

/** The open streams of one tenant. */
export class TenantReaders {
  readonly streams = new Set<ReaderStream>();

  constructor(
    readonly tenant_id: string,
    private readonly details: ChangeDetails,
  ) {}

  /** Gives the records to the streams. If the views cannot be read, they are closed: their readers resume. */
  async show(records: readonly ChangeRecord[], shown: Place, now_ms: number): Promise<void> {
    try {
      for (let from = 0; from < records.length && this.streams.size > 0; from += AT_ONCE) {
        const changes = await this.details.of(this.tenant_id, records.slice(from, from + AT_ONCE), this.kinds());
        for (const stream of this.streams) stream.offer(changes, shown, now_ms);
      }
    } catch {
      for (const stream of [...this.streams]) stream.fail();
    }
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
