import type { Dropped, DropTerms, LogRecord } from '../event-log.js';
import { Carried } from './carried.js';
import type { Disk } from './disk.js';
import type { JournalReader } from './journal-reader.js';
import type { SegmentSet } from './segment-set.js';
import type { Stream } from './stream.js';
import type { StreamTable } from './stream-table.js';

const READ_BYTES = 8 * 1024 * 1024;

/** Drops the oldest segments of a journal. Carried records are durable before anything is removed. */
export class SegmentDrop {
  constructor(
    private readonly place: { dir: string; disk: Disk },
    private readonly segments: SegmentSet,
    private readonly table: StreamTable,
    private readonly reader: JournalReader,
  ) {}

  /** Drops whole segments only: never the one that is written to, and none that a reader has not passed. */
  async drop(terms: DropTerms): Promise<Dropped> {
    const count = this.segments.leading((first) => this.table.streams.every((stream) => this.mayGo(stream, first[stream.id] ?? 0, terms)));
    if (count === 0) return { segments: 0, bytes: 0 };
    const { base, first } = this.segments.at(count);
    const carried = await Carried.save(this.place, base, this.carriedOn(terms, first));
    const before = this.reader.carried;
    this.reader.carried = carried;
    await before.close();
    for (const stream of this.table.streams) stream.first = terms.carries(stream.topic) ? 0 : (first[stream.id] ?? 0);
    return { segments: count, bytes: await this.segments.removeLeading(count) };
  }

  private mayGo(stream: Stream, first: number, terms: DropTerms): boolean {
    if (terms.carries(stream.topic)) return true;
    return first <= terms.below(stream.topic, stream.partition) && stream.readers.every(({ position }) => position >= first);
  }

  /** The records in the dropped segments that belong to carried topics. */
  private async *carriedOn(terms: DropTerms, first: Readonly<Record<number, number>>): AsyncGenerator<LogRecord> {
    for (const stream of this.table.streams) {
      const end = terms.carries(stream.topic) ? (first[stream.id] ?? 0) : 0;
      for (let at = 0; at < end; ) {
        const page = await this.reader.read(stream, at, end, READ_BYTES);
        yield* page;
        at += page.length;
      }
    }
  }
}
