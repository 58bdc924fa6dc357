import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BLOCK_HEADER_BYTES, SEGMENT_START, TOPICS } from './block.js';
import type { Disk, JournalFile } from './disk.js';
import { BlockScan, eachFrame, type ScannedBlock } from './scan.js';
import { createSegment, firstOffsets, removeSegment, Segment, type SegmentStart, segmentBase, segmentName, startBlock } from './segment.js';
import { SparseIndex } from './sparse-index.js';
import { StreamTable, type TopicEntry } from './stream-table.js';

export interface Recovered {
  /** In journal order; the last one is written to. */
  segments: Segment[];
  table: StreamTable;
  /** Bytes of a write that a crash had torn, which were removed. They had not been acknowledged. */
  cut_bytes: number;
  /** Whether the log is new. */
  fresh: boolean;
}

export interface Place {
  dir: string;
  disk: Disk;
  chunk_bytes: number;
  /** The end of the journal when it was closed, if it was closed: it cannot end earlier. */
  closed_end: number | null;
  /** Everything below this position was dropped. */
  dropped_below: number;
}

/**
 * Opens the segment files of a directory: checks that none is missing or shorter than before, reads the last one completely, cuts a torn
 * write off its end and makes the rest durable.
 * @throws if an acknowledged part is damaged or missing
 */
export async function recover(place: Place): Promise<Recovered> {
  const opened: JournalFile[] = [];
  const open = async (path: string, how: 'create' | 'existing') => {
    const file = await place.disk.open(path, how);
    opened.push(file);
    return file;
  };
  try {
    return await recoverFiles({ ...place, disk: { open, syncDirectory: (path) => place.disk.syncDirectory(path) } });
  } catch (cause) {
    for (const file of opened) await file.close().catch(() => undefined);
    throw cause;
  }
}

async function recoverFiles(place: Place): Promise<Recovered> {
  const found = (await readdir(place.dir)).map(segmentBase).filter((base) => base !== null);
  const bases = found.filter((base) => base >= place.dropped_below);
  // The process died while it removed them.
  for (const base of found) if (base < place.dropped_below) await removeSegment(place.dir, base);
  bases.sort((a, b) => a - b);
  const segments: Segment[] = [];
  let cutBytes = 0;
  for (const base of bases.slice(0, -1)) segments.push(await openSealed(place, base));
  let last = bases.length === 0 ? null : await openLast(place, bases[bases.length - 1]!);
  if (last !== null && 'torn_bytes' in last) {
    // A crash interrupted the creation of this segment: it has no acknowledged record, and the previous one is written to.
    cutBytes += last.torn_bytes;
    bases.pop();
    await segments.pop()?.file.close();
    last = bases.length === 0 ? null : await openLast(place, bases[bases.length - 1]!);
    if (last !== null && 'torn_bytes' in last) throw damaged(place, bases[bases.length - 1]!, 0);
  }
  if (last === null) return { ...(await createFirst(place)), cut_bytes: cutBytes, fresh: cutBytes === 0 };
  segments.push(last.segment);
  checkContinuous(place, segments);
  return { segments, table: last.table, cut_bytes: cutBytes + last.cut_bytes, fresh: false };
}

async function createFirst(place: Place): Promise<{ segments: Segment[]; table: StreamTable }> {
  const table = new StreamTable();
  const none = new Float64Array(0);
  const segment = await createSegment(place.dir, place.disk, 0, startBlock(0, table, none), none);
  segment.index = new SparseIndex(place.chunk_bytes);
  segment.index.note(segment.size, none);
  return { segments: [segment], table };
}

function checkContinuous(place: Place, segments: readonly Segment[]): void {
  const start = place.dropped_below;
  if (segments[0]!.base !== start)
    throw new Error(`the log in ${place.dir} is incomplete: its first segment ${segmentName(start)} is missing`);
  for (let at = 1; at < segments.length; at++) {
    const { base, end } = segments[at - 1]!;
    if (end === segments[at]!.base) continue;
    throw new Error(
      `the log in ${place.dir} is damaged: ${segmentName(base)} ends at ${end}, the next segment begins at ${segments[at]!.base}`,
    );
  }
}

async function openSealed(place: Place, base: number): Promise<Segment> {
  const { file, size } = await openFile(place, base);
  const block = await new BlockScan(file, base, size).next();
  if (block === null || block.header.kind !== SEGMENT_START) throw damaged(place, base, 0);
  return new Segment(base, file, size, firstOffsets(jsonBody<SegmentStart>(block)));
}

async function openLast(
  place: Place,
  base: number,
): Promise<{ segment: Segment; table: StreamTable; cut_bytes: number } | { torn_bytes: number }> {
  const { file, size } = await openFile(place, base);
  const scan = new BlockScan(file, base, size);
  const start = await scan.next();
  if (start === null || start.header.kind !== SEGMENT_START) {
    if (start !== null || (await scan.damageWasAcknowledged())) throw damaged(place, base, 0);
    refuseShort(place, base);
    await file.close();
    await rm(join(place.dir, segmentName(base)));
    await place.disk.syncDirectory(place.dir);
    return { torn_bytes: size };
  }
  const contents = await readContents(place, base, scan, jsonBody<SegmentStart>(start));
  if (scan.position < size && (await scan.damageWasAcknowledged())) throw damaged(place, base, scan.position);
  refuseShort(place, base + scan.position);
  if (scan.position < size) await file.truncate(scan.position);
  // A killed process leaves its last writes only in the page cache: everything reported as durable from here on must be synced.
  await file.fdatasync();
  const segment = new Segment(base, file, scan.position, contents.first);
  segment.index = contents.index;
  return { segment, table: contents.table, cut_bytes: size - scan.position };
}

async function readContents(place: Place, base: number, scan: BlockScan, start: SegmentStart) {
  const table = new StreamTable();
  for (const topic of start.topics) table.restore(topic, topic.next);
  const index = new SparseIndex(place.chunk_bytes);
  for (let block: ScannedBlock | null; ; ) {
    if (index.wants(scan.position, table.streams.length)) index.note(scan.position, table.nextOffsets());
    block = await scan.next();
    if (block === null) break;
    if (block.header.kind === TOPICS) for (const entry of jsonBody<TopicEntry[]>(block)) table.restore(entry, []);
    eachFrame(block, (id, offset) => {
      const stream = table.streams[id];
      if (stream?.next !== offset) throw damaged(place, base, block!.position);
      stream.next = offset + 1;
    });
  }
  const first = firstOffsets(start);
  return { table: settled(table), index, first };
}

/** The same streams, with the recovered records as durable. */
function settled(read: StreamTable): StreamTable {
  const table = new StreamTable();
  const next = read.nextOffsets();
  for (const entry of read.entries()) {
    table.restore(entry, Array.from(next.subarray(entry.first_stream, entry.first_stream + entry.partitions)));
  }
  return table;
}

async function openFile(place: Place, base: number): Promise<{ file: JournalFile; size: number }> {
  const path = join(place.dir, segmentName(base));
  return { file: await place.disk.open(path, 'existing'), size: (await stat(path)).size };
}

function jsonBody<T>(block: ScannedBlock): T {
  const at = block.at + BLOCK_HEADER_BYTES;
  return JSON.parse(block.bytes.toString('utf8', at, at + block.header.body_bytes)) as T;
}

function refuseShort(place: Place, end: number): void {
  if (place.closed_end === null || end >= place.closed_end) return;
  throw new Error(`the log in ${place.dir} ends at ${end}, but was closed at ${place.closed_end}: its last records are damaged or missing`);
}

function damaged(place: Place, base: number, position: number): Error {
  return new Error(
    `the log in ${place.dir} is damaged: ${segmentName(base)} at byte ${position} has no valid block, but acknowledged records follow it`,
  );
}
