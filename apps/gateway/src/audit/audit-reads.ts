import { type AuditRead, canonicalText, firstMeta, type Principal, uuidv7 } from '@countersign/contracts';
import type { AppDeps } from '@countersign/process';
import { type CountedRead, givenIn, ReadRange } from './read-range.js';

/** Who reads. */
interface Reader {
  tenant_id: string;
  by: Principal;
}

/** Describes what a reader read from the audit. */
export interface ReadOfAudit extends Reader, Pick<AuditRead, 'what' | 'items'> {
  query: Readonly<Record<string, unknown>>;
  sha256?: string;
  checkpoint_size?: number;
  /** The event_id of the audit record, if it was announced before. */
  event_id?: string;
}

type Written = Omit<AuditRead, 'meta' | 'read_at_ms'> & { tenant_id: string; event_id: string; cause?: string };

/** How long a range of reads is open. */
const RANGE_MS = 60_000;
const RANGES_MAX = 1000;
const NO_FILE = { sha256: null, checkpoint_size: null };
const NO_RANGE = { until_ms: null, opened_by: null, reads: null };

/**
 * Records reads of the audit. Data is sent only after a record of it is durable: one for each read that opens personal values or sends a
 * file, and one for the first of a range of other reads of a principal. Later reads of that minute are counted in the record that ends the
 * range. If the gateway stops without it, the opening says up to when the principal may have read.
 */
export class AuditReads {
  private readonly open = new Map<string, { range: ReadRange; opened: Promise<void> }>();
  /** Ranges that are over but not recorded as such. */
  private ended: ReadRange[] = [];

  constructor(private readonly parts: Pick<AppDeps, 'log' | 'codec' | 'clock'>) {}

  newId(): string {
    return uuidv7(this.parts.clock.now_ms());
  }

  /** Records one read. Resolves when the record is durable. @throws InfrastructureFault if the log is unavailable. */
  record({ tenant_id, by, what, query, items, sha256, checkpoint_size, event_id = this.newId() }: ReadOfAudit): Promise<void> {
    const file = { sha256: sha256 ?? null, checkpoint_size: checkpoint_size ?? null };
    return this.write({ tenant_id, event_id, by, what, query_json: canonicalText(givenIn(query)), items, ...file, ...NO_RANGE });
  }

  /** Counts a read in the range of its principal, and opens one if none is open. Resolves when the opening is durable. @throws as `record` */
  async count(reader: Reader, read: CountedRead): Promise<void> {
    const key = JSON.stringify([reader.tenant_id, reader.by.kind, reader.by.id, reader.by.roles]);
    this.endOver(key);
    const known = this.open.get(key) ?? this.opened(key, reader, read);
    known.range.add(read);
    await known.opened;
  }

  private opened(key: string, { tenant_id, by }: Reader, { what, query, items }: CountedRead) {
    const event_id = this.newId();
    const until_ms = this.parts.clock.now_ms() + RANGE_MS;
    const range = new ReadRange(tenant_id, by, event_id, until_ms);
    const read = { by, what, query_json: canonicalText(givenIn(query)), items };
    const opened = this.write({ tenant_id, event_id, ...read, ...NO_FILE, ...NO_RANGE, until_ms });
    const known = { range, opened };
    this.open.set(key, known);
    // Without an opening nothing was answered: the next read opens another range.
    opened.catch(() => this.open.get(key) === known && this.open.delete(key));
    return known;
  }

  /** Ends ranges that are over; and the oldest, if `key` needs room for another. */
  private endOver(key: string): void {
    const now_ms = this.parts.clock.now_ms();
    for (const [other, { range }] of this.open) {
      const isFull = this.open.size >= RANGES_MAX && !this.open.has(key);
      if (range.until_ms > now_ms && !isFull) return;
      this.open.delete(other);
      this.ended.push(range);
    }
  }

  /** Records the ends of ranges that are over; what fails is tried again at the next time. */
  async recordEnds(): Promise<void> {
    this.endOver('');
    const due = this.ended;
    this.ended = [];
    for (const range of due) await this.recordEnd(range).catch(() => this.ended.push(range));
  }

  /** Ends all ranges. */
  async close(): Promise<void> {
    for (const { range } of this.open.values()) this.ended.push(range);
    this.open.clear();
    await this.recordEnds();
  }

  private recordEnd(range: ReadRange): Promise<void> {
    const { tenant_id, by, until_ms, opened_by } = range;
    const counted = { ...range.counted(), what: 'range', until_ms, opened_by, ...NO_FILE };
    return this.write({ tenant_id, event_id: this.newId(), cause: opened_by, by, ...counted });
  }

  private async write({ tenant_id, event_id, cause, ...read }: Written): Promise<void> {
    const { log, codec, clock } = this.parts;
    const now_ms = clock.now_ms();
    const meta = { ...firstMeta(tenant_id, now_ms, event_id), causation_id: cause ?? null };
    const value = codec.encode('audit_read', { meta, ...read, read_at_ms: now_ms });
    await log.append([{ topic: 'security-event', partition: 0, key: null, value, headers: { event_type: 'audit_read' } }]);
  }
}
