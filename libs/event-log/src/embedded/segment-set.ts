import { BLOCK_HEADER_BYTES } from './block.js';
import type { Disk } from './disk.js';
import { BlockScan, eachFrame } from './scan.js';
import { createSegment, DamagedSegment, loadIndex, removeSegment, type Segment, saveIndex, startBlock } from './segment.js';
import { SparseIndex } from './sparse-index.js';
import type { StreamTable } from './stream-table.js';

export interface SegmentOptions {
  dir: string;
  disk: Disk;
  segment_bytes: number;
  chunk_bytes: number;
}

/** The location of a record: a stretch of one segment that holds it. */
export interface Stretch {
  segment: Segment;
  position: number;
  end: number;
}

const LOADED_INDEXES_MAX = 8;

/** The files of the journal in order: the active one, when the next one starts, and which one holds a given record. */
export class SegmentSet {
  readonly #loaded: Segment[] = [];

  constructor(
    private readonly options: SegmentOptions,
    private readonly segments: Segment[],
  ) {}

  /** The segment that is written to. */
  get active(): Segment {
    return this.segments[this.segments.length - 1]!;
  }

  /** Whether the active segment is so full that the next write goes to a new one. */
  get full(): boolean {
    return this.active.size >= this.options.segment_bytes;
  }

  /** Starts the next segment. `next` are the offsets at its start. A failure changes nothing. */
  async roll(table: StreamTable, next: Float64Array): Promise<void> {
    const { dir, disk, chunk_bytes } = this.options;
    const base = this.active.end;
    const segment = await createSegment(dir, disk, base, startBlock(base, table, next), next);
    segment.index = new SparseIndex(chunk_bytes);
    segment.index.note(segment.size, next);
    const sealed = this.active;
    this.segments.push(segment);
    // A lost index is rebuilt, so its write is not awaited and may fail.
    void saveIndex(dir, sealed).catch(() => undefined);
    this.#remember(sealed);
  }

  /** The stretch that holds this offset of this stream, which must be durable. */
  async find(stream: number, offset: number): Promise<Stretch> {
    const segment = this.#segmentOf(stream, offset);
    const index = segment.index ?? (await this.#index(segment));
    const at = index.find(stream, offset);
    return { segment, position: index.chunks[at]!.position, end: index.chunks[at + 1]?.position ?? segment.size };
  }

  /** Number of leading segments that may be dropped: `may` decides by the offsets at the start of the next segment. */
  leading(may: (first: Float64Array) => boolean): number {
    let count = 0;
    while (count < this.segments.length - 1 && may(this.segments[count + 1]!.first)) count++;
    return count;
  }

  at(index: number): Segment {
    return this.segments[index]!;
  }

  /** Removes the files of the first segments. @returns their bytes */
  async removeLeading(count: number): Promise<number> {
    let bytes = 0;
    for (const segment of this.segments.splice(0, count)) {
      bytes += segment.size;
      const at = this.#loaded.indexOf(segment);
      if (at >= 0) this.#loaded.splice(at, 1);
      await segment.file.close();
      await removeSegment(this.options.dir, segment.base);
    }
    await this.options.disk.syncDirectory(this.options.dir);
    return bytes;
  }

  async close(): Promise<void> {
    for (const { file } of this.segments) await file.close();
  }

  #segmentOf(stream: number, offset: number): Segment {
    let low = 0;
    let high = this.segments.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.segments[middle]!.first[stream] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return this.segments[low]!;
  }

  async #index(segment: Segment): Promise<SparseIndex> {
    const { dir, chunk_bytes } = this.options;
    const saved = await loadIndex(dir, segment, chunk_bytes);
    const index = saved ?? (await buildIndex(segment, chunk_bytes));
    segment.index = index;
    if (saved === null) void saveIndex(dir, segment).catch(() => undefined);
    this.#remember(segment);
    return index;
  }

  /** Keeps the indexes of the few sealed segments that were read last, so that memory does not grow with the log. */
  #remember(segment: Segment): void {
    const at = this.#loaded.indexOf(segment);
    if (at >= 0) this.#loaded.splice(at, 1);
    this.#loaded.push(segment);
    if (this.#loaded.length > LOADED_INDEXES_MAX) this.#loaded.shift()!.index = undefined;
  }
}

/** Reads a sealed segment completely. @throws if one of its blocks is damaged */
async function buildIndex(segment: Segment, chunk_bytes: number): Promise<SparseIndex> {
  const index = new SparseIndex(chunk_bytes);
  const scan = new BlockScan(segment.file, segment.base, segment.size);
  let next = Float64Array.from(segment.first);
  for (let block = await scan.next(); block !== null; block = await scan.next()) {
    eachFrame(block, (stream, offset) => {
      if (stream >= next.length) next = grown(next, stream);
      next[stream] = offset + 1;
    });
    const end = block.position + BLOCK_HEADER_BYTES + block.header.body_bytes;
    if (end < segment.size && index.wants(end, next.length)) index.note(end, Float64Array.from(next));
  }
  if (scan.position < segment.size) throw new DamagedSegment(segment.base, scan.position);
  return index;
}

function grown(next: Float64Array, stream: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(stream + 1);
  larger.set(next);
  return larger;
}
