import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BLOCK_HEADER_BYTES, readBlockHeader, SEGMENT_START, sealBlock, stampBlock, TOPICS } from '../embedded/block.js';
import { frameEnd, frameOffset, frameStream, takeFrame } from '../embedded/frame.js';
import { segmentBase } from '../embedded/segment.js';
import type { TopicEntry } from '../embedded/stream-table.js';

/** The place of a record on the log. */
export interface RecordPlace {
  topic: string;
  partition: number;
  offset: number;
}

/** Changes bytes of a record's value in place. */
export type ValueChange = (value: Buffer) => void;

/**
 * Simulates the owner of the disk: changes the value of one record in the journal of an embedded log and corrects the checksums. The log
 * may be open: its memory is not changed.
 */
export async function forgeRecord(dir: string, place: RecordPlace, change: ValueChange): Promise<void> {
  await changeRecord(dir, place, change, true);
}

/** Simulates disk damage: changes the value of one record, so that its checksum is wrong. */
export async function rotRecord(dir: string, place: RecordPlace, change: ValueChange): Promise<void> {
  await changeRecord(dir, place, change, false);
}

async function changeRecord(dir: string, place: RecordPlace, change: ValueChange, isSealed: boolean): Promise<void> {
  for (const name of (await readdir(dir)).sort()) {
    const base = segmentBase(name);
    if (base === null) continue;
    const bytes = await readFile(join(dir, name));
    if (!changeIn(bytes, base, place, change, isSealed)) continue;
    await writeFile(join(dir, name), bytes);
    return;
  }
  throw new Error(`${place.topic}/${place.partition} has no record ${place.offset} in ${dir}`);
}

function changeIn(bytes: Buffer, base: number, place: RecordPlace, change: ValueChange, isSealed: boolean): boolean {
  const streams = new Set<number>();
  for (let at = 0; at < bytes.length; ) {
    const header = readBlockHeader(bytes, at, base + at);
    if (!header) return false;
    const [start, end] = [at + BLOCK_HEADER_BYTES, at + BLOCK_HEADER_BYTES + header.body_bytes];
    if (header.kind === SEGMENT_START || header.kind === TOPICS) learn(streams, JSON.parse(bytes.toString('utf8', start, end)), place);
    const frame = header.kind === SEGMENT_START || header.kind === TOPICS ? -1 : findFrame(bytes, start, end, streams, place.offset);
    if (frame >= 0) {
      change(takeFrame(bytes, frame, place.topic, place.partition).value);
      if (!isSealed) return true;
      sealBlock(bytes, at, end, header.kind, header.records);
      stampBlock(bytes, at, header.position, header.write_start);
      return true;
    }
    at = end;
  }
  return false;
}

function learn(streams: Set<number>, body: TopicEntry[] | { topics: TopicEntry[] }, { topic, partition }: RecordPlace): void {
  for (const entry of Array.isArray(body) ? body : body.topics) if (entry.name === topic) streams.add(entry.first_stream + partition);
}

function findFrame(bytes: Buffer, start: number, end: number, streams: ReadonlySet<number>, offset: number): number {
  for (let at = start; at < end; at = frameEnd(bytes, at))
    if (streams.has(frameStream(bytes, at)) && frameOffset(bytes, at) === offset) return at;
  return -1;
}
