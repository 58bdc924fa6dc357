import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  BLOCK_HEADER_BYTES,
  type BlockHeader,
  jsonBlock,
  RECORDS,
  readBlockHeader,
  SEGMENT_START,
  sealBlock,
  stampBlock,
  TOPICS,
} from '../embedded/block.js';
import { Carried } from '../embedded/carried.js';
import { NodeDisk } from '../embedded/disk.js';
import { frameBytesMax, frameEnd, frameStream, putFrame, takeFrame } from '../embedded/frame.js';
import { type SegmentStart, segmentBase, segmentName } from '../embedded/segment.js';
import type { TopicEntry } from '../embedded/stream-table.js';
import type { LogRecord } from '../event-log.js';

/** The records that replace a record: none, itself, or several. Offsets are assigned anew, without gaps. */
export type Edit = (record: LogRecord) => readonly LogRecord[];

interface Block {
  header: BlockHeader;
  body: Buffer;
}

interface Stream {
  topic: string;
  partition: number;
  /** The next offset in the new journal. */
  next: number;
}

async function segmentsIn(dir: string): Promise<{ name: string; base: number }[]> {
  return (await readdir(dir)).sort().flatMap((name) => {
    const base = segmentBase(name);
    return base === null ? [] : [{ name, base }];
  });
}

async function blocksOf(dir: string, { name, base }: { name: string; base: number }): Promise<Block[]> {
  const bytes = await readFile(join(dir, name));
  const blocks: Block[] = [];
  for (let at = 0; at < bytes.length; ) {
    const header = readBlockHeader(bytes, at, base + at);
    if (!header) break;
    const start = at + BLOCK_HEADER_BYTES;
    at = start + header.body_bytes;
    blocks.push({ header, body: bytes.subarray(start, at) });
  }
  return blocks;
}

const jsonOf = <T>({ body }: Block): T => JSON.parse(body.toString('utf8')) as T;

/** A journal that is written again with other records, as its owner can: every checksum, position and offset is right. */
class NewJournal {
  private readonly streams = new Map<number, Stream>();
  /** The positions of the old blocks in the new journal. */
  private readonly moved = new Map<number, number>();
  private position = 0;

  constructor(private readonly edit: Edit) {}

  get end(): number {
    return this.position;
  }

  /** The new bytes of a segment. */
  segment(blocks: readonly Block[]): { base: number; bytes: Buffer } {
    const base = this.position;
    const written = blocks.flatMap((block) => {
      const bytes = this.block(block);
      if (!bytes) return [];
      this.moved.set(block.header.position, this.position);
      stampBlock(bytes, 0, this.position, this.moved.get(block.header.write_start) ?? this.position);
      this.position += bytes.length;
      return [bytes];
    });
    return { base, bytes: Buffer.concat(written) };
  }

  startAt(position: number): void {
    this.position = position;
  }

  private block(block: Block): Buffer | undefined {
    if (block.header.kind === SEGMENT_START) return this.start(jsonOf<SegmentStart>(block));
    if (block.header.kind !== TOPICS) return this.records(block);
    const entries = jsonOf<TopicEntry[]>(block);
    for (const entry of entries) this.learn(entry, []);
    return jsonBlock(TOPICS, entries);
  }

  private start({ format, topics }: SegmentStart): Buffer {
    for (const entry of topics) this.learn(entry, entry.next);
    const next = (first: number, count: number) => Array.from({ length: count }, (_, at) => this.streams.get(first + at)?.next ?? 0);
    return jsonBlock(SEGMENT_START, {
      format,
      topics: topics.map((entry) => ({ ...entry, next: next(entry.first_stream, entry.partitions) })),
    });
  }

  private learn({ name, first_stream, partitions }: TopicEntry, next: readonly number[]): void {
    for (let partition = 0; partition < partitions; partition++) {
      const id = first_stream + partition;
      if (!this.streams.has(id)) this.streams.set(id, { topic: name, partition, next: next[partition] ?? 0 });
    }
  }

  private records({ body }: Block): Buffer | undefined {
    const kept: { id: number; record: LogRecord }[] = [];
    for (let at = 0; at < body.length; at = frameEnd(body, at)) {
      const id = frameStream(body, at);
      const stream = this.streams.get(id);
      if (!stream) throw new Error(`the journal has a record of unknown stream ${id}`);
      for (const record of this.edit(takeFrame(body, at, stream.topic, stream.partition)))
        kept.push({ id, record: { ...record, offset: stream.next++ } });
    }
    return kept.length === 0 ? undefined : recordBlock(kept);
  }
}

function recordBlock(kept: readonly { id: number; record: LogRecord }[]): Buffer {
  const into = Buffer.alloc(BLOCK_HEADER_BYTES + kept.reduce((sum, { record }) => sum + frameBytesMax(record), 0));
  let end = BLOCK_HEADER_BYTES;
  for (const { id, record } of kept) end = putFrame(into, end, id, record);
  sealBlock(into, 0, end, RECORDS, kept.length);
  return into.subarray(0, end);
}

/** Simulates the owner of the disk: writes the journal of a stopped log again with edited records, with correct checksums. */
export async function rewriteJournal(dir: string, edit: Edit): Promise<void> {
  const journal = new NewJournal(edit);
  const segments = await segmentsIn(dir);
  journal.startAt(segments[0]?.base ?? 0);
  const written: { base: number; bytes: Buffer }[] = [];
  for (const segment of segments) written.push(journal.segment(await blocksOf(dir, segment)));
  for (const { name } of segments) {
    await rm(join(dir, name));
    await rm(join(dir, name.replace(/log$/, 'idx')), { force: true });
  }
  for (const { base, bytes } of written) await writeFile(join(dir, segmentName(base)), bytes, { mode: 0o600 });
  const marker = join(dir, 'stop.json');
  const stop = JSON.parse(await readFile(marker, 'utf8')) as { end: number | null };
  await writeFile(marker, JSON.stringify({ ...stop, end: stop.end === null ? null : journal.end }));
}

/**
 * Simulates the owner of the disk: removes all files but the last of a stopped log, as a drop of old records does. Returns the removed
 * records that no file has any more.
 */
export async function removeOldFiles(dir: string, carries: (topic: string) => boolean): Promise<LogRecord[]> {
  const segments = await segmentsIn(dir);
  const last = segments.pop();
  const records: LogRecord[] = [];
  const journal = new NewJournal((record) => {
    records.push(record);
    return [record];
  });
  for (const segment of segments) journal.segment(await blocksOf(dir, segment));
  const streamOf = ({ topic, partition }: LogRecord) => `${topic}/${partition}`;
  const kept = records.filter(({ topic }) => carries(topic));
  const sorted = [...new Set(kept.map(streamOf))].flatMap((stream) => kept.filter((record) => streamOf(record) === stream));
  const carried = await Carried.save({ dir, disk: new NodeDisk() }, last?.base ?? 0, Readable.from(sorted));
  await carried.close();
  for (const { name } of segments) await rm(join(dir, name));
  return records.filter(({ topic }) => !carries(topic));
}

/** All records in the segments of a stopped log, in the order in which they were written. */
export async function readJournal(dir: string): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  const journal = new NewJournal((record) => {
    records.push(record);
    return [record];
  });
  for (const segment of await segmentsIn(dir)) journal.segment(await blocksOf(dir, segment));
  return records;
}
