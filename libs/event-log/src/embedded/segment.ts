import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonBlock, SEGMENT_START, stampBlock } from './block.js';
import type { Disk, JournalFile } from './disk.js';
import { SparseIndex } from './sparse-index.js';
import type { StreamTable, TopicEntry } from './stream-table.js';

/** The body of a segment's first block: everything needed to read from here without the earlier segments. */
export interface SegmentStart {
  format: 1;
  topics: (TopicEntry & { next: number[] })[];
}

/** One file of the journal. Its name is the position of its first byte in the journal, so that a missing file is detected. */
export class Segment {
  /** Index of a segment that is active or was read; a sealed segment reads its index from disk when first needed. */
  index: SparseIndex | undefined;

  constructor(
    readonly base: number,
    readonly file: JournalFile,
    /** Number of durable bytes. */
    public size: number,
    /** Next offset by stream number at the start of the segment; missing streams were created later. */
    readonly first: Float64Array,
  ) {}

  get end(): number {
    return this.base + this.size;
  }
}

/** An acknowledged block of a segment is damaged. */
export class DamagedSegment extends Error {
  constructor(base: number, position: number) {
    super(`${segmentName(base)} is damaged at byte ${position}`);
  }
}

export function segmentName(base: number): string {
  return `${String(base).padStart(16, '0')}.log`;
}

export function segmentBase(name: string): number | null {
  return /^\d{16}\.log$/.test(name) ? Number(name.slice(0, 16)) : null;
}

export function startBlock(base: number, table: StreamTable, next: Float64Array): Buffer {
  const topics = table.entries().map((entry) => ({
    ...entry,
    next: Array.from({ length: entry.partitions }, (_, partition) => next[entry.first_stream + partition] ?? 0),
  }));
  const block = jsonBlock(SEGMENT_START, { format: 1, topics } satisfies SegmentStart);
  stampBlock(block, 0, base, base);
  return block;
}

/** The offsets at a segment's start, by stream number. */
export function firstOffsets(start: SegmentStart): Float64Array {
  const streams = start.topics.reduce((most, { first_stream, partitions }) => Math.max(most, first_stream + partitions), 0);
  const first = new Float64Array(streams);
  for (const { first_stream, next } of start.topics) first.set(next, first_stream);
  return first;
}

/** Creates a segment file with its first block and makes it durable under its name. A failure leaves nothing behind. */
export async function createSegment(dir: string, disk: Disk, base: number, block: Buffer, first: Float64Array): Promise<Segment> {
  const file = await disk.open(join(dir, segmentName(base)), 'create');
  try {
    for (let done = 0; done < block.length; ) done += await file.write(block, done, block.length - done, done);
    await file.fdatasync();
    await disk.syncDirectory(dir);
  } catch (cause) {
    await file.close();
    await rm(join(dir, segmentName(base)), { force: true });
    throw cause;
  }
  return new Segment(base, file, block.length, first);
}

function indexPath(dir: string, base: number): string {
  return join(dir, `${segmentName(base).slice(0, 16)}.idx`);
}

/** Saves a sealed segment's index. It only saves time: a missing or damaged index is built again. */
export async function saveIndex(dir: string, segment: Segment): Promise<void> {
  if (segment.index === undefined) return;
  const path = indexPath(dir, segment.base);
  await writeFile(`${path}.new`, segment.index.encode(segment.size), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Removes a segment that is no longer referenced, and its index. */
export async function removeSegment(dir: string, base: number): Promise<void> {
  await rm(join(dir, segmentName(base)), { force: true });
  await rm(indexPath(dir, base), { force: true });
}

export async function loadIndex(dir: string, segment: Segment, chunk_bytes: number): Promise<SparseIndex | null> {
  try {
    return SparseIndex.decode(await readFile(indexPath(dir, segment.base)), segment.size, chunk_bytes);
  } catch {
    return null;
  }
}
