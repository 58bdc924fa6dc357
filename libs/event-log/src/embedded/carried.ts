import { createHash } from 'node:crypto';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogRecord } from '../event-log.js';
import type { Disk } from './disk.js';

const FILE = 'carried.records';
/** Bytes of the file that a read parses at once: some milliseconds of work. */
const CHUNK_BYTES = 512 * 1024;
/** Keeps the position of every n-th line of a stream in memory: a read parses at most this many lines too many. */
const INDEX_EVERY = 64;
const NO_DIGEST = '0'.repeat(64);

type Line = [
  topic: string,
  partition: number,
  offset: number,
  timestamp_ms: number,
  key: string | null,
  value: string,
  headers: Record<string, string>,
];

/** The contiguous lines of one stream. */
interface StreamLines {
  count: number;
  places: number[];
}

interface FileLine {
  text: string;
  /** Position of its first line in the file. */
  place: number;
  /** A file of an earlier release has no line end after the last line. */
  end: '\n' | '';
}

const lineOf = ({ topic, partition, offset, timestamp_ms, key, value, headers }: LogRecord): string =>
  `${JSON.stringify([topic, partition, offset, timestamp_ms, key, value.toString('base64'), headers] satisfies Line)}\n`;

function recordOf(line: string): LogRecord {
  const [topic, partition, offset, timestamp_ms, key, value, headers] = JSON.parse(line) as Line;
  return { topic, partition, offset, timestamp_ms, key, value: Buffer.from(value, 'base64'), headers, decoded: undefined, leaf: undefined };
}

const headerOf = (base: number, digest: string) => `${JSON.stringify({ base, digest })}\n`;

/**
 * What remains of dropped segments: the new start of the journal, and the records of topics that are never dropped. The records stay on
 * disk.
 */
export class Carried {
  private readonly reads = new Set<Promise<unknown>>();

  private constructor(
    /** Position in the journal below which everything was dropped. */
    readonly base: number,
    private readonly file: FileHandle | undefined,
    private readonly streams: ReadonlyMap<string, StreamLines>,
  ) {}

  /** @throws if the file is damaged: the configuration would be wrong without it */
  static async open(dir: string): Promise<Carried> {
    const path = join(dir, FILE);
    const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!file) return new Carried(0, undefined, new Map());
    try {
      return await Carried.indexed(file);
    } catch (cause) {
      await file.close();
      throw new Error(`${path} is damaged: restore it from a backup`, { cause });
    }
  }

  private static async indexed(file: FileHandle): Promise<Carried> {
    const streams = new Map<string, StreamLines>();
    const hash = createHash('sha256');
    let header: { base: number; digest: string } | undefined;
    for await (const lines of linesFrom(file, 0)) {
      for (const { text, place, end } of lines) {
        if (header) {
          hash.update(text).update(end);
          index(streams, JSON.parse(text) as Line, place);
        } else header = JSON.parse(text) as { base: number; digest: string };
      }
    }
    const digest = hash.digest('hex');
    if (header?.digest !== digest) throw new Error(`its digest is ${digest}, and not ${header?.digest}`);
    return new Carried(header.base, file, streams);
  }

  /** Number of records of a stream in this file: from offset 0, without gaps. */
  count(topic: string, partition: number): number {
    return this.streams.get(`${topic}/${partition}`)?.count ?? 0;
  }

  /** The records [from, to) of a stream that are in this file; fewer if they exceed `bytes_max`, but at least one. */
  read(topic: string, partition: number, from: number, to: number, bytes_max: number): Promise<LogRecord[]> {
    const reading = this.readOn(topic, partition, from, Math.min(to, this.count(topic, partition)), bytes_max);
    this.reads.add(reading);
    const ended = () => this.reads.delete(reading);
    reading.then(ended, ended);
    return reading;
  }

  private async readOn(topic: string, partition: number, from: number, end: number, bytes_max: number): Promise<LogRecord[]> {
    const records: LogRecord[] = [];
    if (from >= end || !this.file) return records;
    const { places } = this.streams.get(`${topic}/${partition}`) as StreamLines;
    let skip = from % INDEX_EVERY;
    let bytes = 0;
    for await (const lines of linesFrom(this.file, places[Math.floor(from / INDEX_EVERY)] as number)) {
      for (const { text } of lines) {
        if (skip-- > 0) continue;
        const record = recordOf(text);
        records.push(record);
        bytes += record.value.length;
        if (from + records.length === end || bytes >= bytes_max) return records;
      }
    }
    return records;
  }

  /**
   * Resolves when the file is durable under its name; a failure leaves no file. `records`: the streams one after the other, each from
   * offset 0.
   */
  static async save(place: { dir: string; disk: Disk }, base: number, records: AsyncIterable<LogRecord>): Promise<Carried> {
    const path = join(place.dir, FILE);
    const handle = await open(`${path}.new`, 'w', 0o600);
    try {
      await handle.writeFile(headerOf(base, NO_DIGEST));
      const hash = createHash('sha256');
      let lines = '';
      for await (const record of records) {
        lines += lineOf(record);
        if (lines.length < CHUNK_BYTES) continue;
        hash.update(lines);
        await handle.appendFile(lines);
        lines = '';
      }
      hash.update(lines);
      await handle.appendFile(lines);
      await handle.write(headerOf(base, hash.digest('hex')), 0);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(`${path}.new`, path);
    await place.disk.syncDirectory(place.dir);
    return Carried.open(place.dir);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.reads);
    await this.file?.close();
  }
}

function index(streams: Map<string, StreamLines>, [topic, partition]: Line, place: number): void {
  const name = `${topic}/${partition}`;
  const known = streams.get(name) ?? { count: 0, places: [] };
  if (known.count % INDEX_EVERY === 0) known.places.push(place);
  known.count++;
  streams.set(name, known);
}

/** Complete lines from a position on, at most one chunk at a time. */
async function* linesFrom(file: FileHandle, from: number): AsyncGenerator<FileLine[]> {
  let rest = Buffer.alloc(0);
  for (let at = from; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, at + rest.length);
    const bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    const lines: FileLine[] = [];
    let begin = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, begin)) {
      lines.push({ text: bytes.toString('utf8', begin, end), place: at + begin, end: '\n' });
      begin = end + 1;
    }
    if (bytesRead === 0 && begin < bytes.length) lines.push({ text: bytes.toString('utf8', begin), place: at + begin, end: '' });
    yield lines;
    if (bytesRead === 0) return;
    rest = bytes.subarray(begin);
    at += begin;
  }
}
