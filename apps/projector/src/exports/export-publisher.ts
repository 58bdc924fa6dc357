import { type EventCodec, type ExportTopic } from '@countersign/contracts';
import type { EventLog } from '@countersign/event-log';
import type { Logger } from '@countersign/process';
import { deleteOutbox, readOutbox, type Store } from '@countersign/store';
import { SoleMember } from '../sole-member.js';
import { exportRecord } from './export-record.js';

const ROWS_AT_ONCE = 500;
const PAUSE_MS = 250;

export interface PublisherParts {
  log: EventLog;
  store: Store;
  codec: EventCodec;
  logger: Pick<Logger, 'warn'>;
}

/**
 * Publishes the rows of the outbox on their topics and then deletes them, in one of all processes. At least once: rows that a crash leaves
 * in the outbox are published again under the same id.
 */
export class ExportPublisher {
  private readonly member: SoleMember;
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor(private readonly parts: PublisherParts) {
    this.member = new SoleMember(parts.log, 'projector.exports', { gained: () => this.arm(0), lost: () => this.working });
  }

  /** Creates the topics and starts publishing. */
  async start(topics: readonly ExportTopic[]): Promise<void> {
    await this.parts.log.ensureTopics(topics.map((name) => ({ name, partitions: 1 })));
    await this.member.start();
  }

  private arm(delay_ms: number): void {
    clearTimeout(this.timer);
    if (!this.member.isOwner || this.isClosed) return;
    this.timer = setTimeout(() => {
      this.working = this.turn();
    }, delay_ms);
  }

  private async turn(): Promise<void> {
    let written = 0;
    try {
      written = await this.publish();
    } catch (cause) {
      this.parts.logger.warn({ event: 'exports_paused', cause: String(cause) }, 'exports could not be published; retrying');
    }
    this.arm(written === ROWS_AT_ONCE ? 0 : PAUSE_MS);
  }

  /** Publishes the oldest rows; returns their number. */
  async publish(): Promise<number> {
    const { log, store, codec } = this.parts;
    const rows = await readOutbox(store, ROWS_AT_ONCE);
    if (rows.length === 0) return 0;
    await log.append(rows.map((row) => exportRecord(codec, row)));
    await store.atomically([deleteOutbox(rows)], 'background');
    return rows.length;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.working;
    await this.member.close();
  }
}
