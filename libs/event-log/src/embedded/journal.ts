import { type Dropped, type DropTerms, type LogRecord, RecordsDropped } from '../event-log.js';
import { Carried } from './carried.js';
import type { EmbeddedSettings } from './embedded-options.js';
import { JournalReader } from './journal-reader.js';
import { JournalWriter } from './journal-writer.js';
import { recover } from './recovery.js';
import { SegmentDrop } from './segment-drop.js';
import { SegmentSet } from './segment-set.js';
import type { StopReport } from './stop-marker.js';
import type { StreamTable } from './stream-table.js';
import { TailRing } from './tail-ring.js';

/** The records of all topics in segment files: the writer, the reader, and the removal of the oldest segments. */
export class Journal {
  #dropping: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly table: StreamTable,
    readonly writer: JournalWriter,
    readonly reader: JournalReader,
    private readonly files: { segments: SegmentSet; drop: SegmentDrop; cut_bytes: number; fresh: boolean },
  ) {}

  /** @throws if an acknowledged part is damaged or missing */
  static async open(settings: EmbeddedSettings, stopped: StopReport): Promise<Journal> {
    const { dir, disk, chunk_bytes } = settings;
    const carried = await Carried.open(dir);
    const found = await recover({ dir, disk, chunk_bytes, closed_end: stopped.end, dropped_below: carried.base });
    const { table, cut_bytes, fresh } = found;
    const oldest = found.segments[0]?.first;
    for (const stream of table.streams) stream.first = carried.count(stream.topic, stream.partition) > 0 ? 0 : (oldest?.[stream.id] ?? 0);
    const segments = new SegmentSet(settings, found.segments);
    const writer = new JournalWriter(settings, segments, table, new TailRing(settings.tail_bytes));
    const reader = new JournalReader(segments, carried);
    return new Journal(table, writer, reader, { segments, drop: new SegmentDrop(settings, segments, table, reader), cut_bytes, fresh });
  }

  /** Whether the log is new. */
  get fresh(): boolean {
    return this.files.fresh;
  }

  get cut_bytes(): number {
    return this.files.cut_bytes;
  }

  get end(): number {
    return this.files.segments.active.end;
  }

  async read(topic: string, partition: number, from_offset: number, records_max: number): Promise<LogRecord[]> {
    const stream = this.table.stream(topic, partition);
    if (from_offset < stream.first) throw new RecordsDropped(topic, partition, from_offset, stream.first);
    const to = Math.min(from_offset + records_max, stream.durable);
    if (to <= from_offset) return [];
    return stream.fromTail(from_offset, to) ?? this.reader.read(stream, from_offset, to, Number.POSITIVE_INFINITY);
  }

  /** One drop at a time. */
  drop(terms: DropTerms): Promise<Dropped> {
    const dropped = this.#dropping.catch(() => undefined).then(() => this.files.drop.drop(terms));
    this.#dropping = dropped;
    return dropped;
  }

  /** Resolves when no drop is running. */
  async dropped(): Promise<void> {
    await this.#dropping.catch(() => undefined);
  }

  /** Closes the files; close or kill the writer first. */
  async release(): Promise<void> {
    await this.reader.carried.close();
    await this.files.segments.close();
  }
}
