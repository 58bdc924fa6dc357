import { LRUCache } from 'lru-cache';
import { type LogRecord, RecordsDropped, RecordsUnreadable } from '../event-log.js';
import type { Carried } from './carried.js';
import { takeFrame } from './frame.js';
import { BlockScan, eachFrame } from './scan.js';
import { DamagedSegment, segmentName } from './segment.js';
import type { SegmentSet, Stretch } from './segment-set.js';
import type { Stream } from './stream.js';

const CACHE_BYTES = 16 * 1024 * 1024;

/** The positions of one stream's frames in a stretch; their offsets have no gaps. */
interface Frames {
  first: number;
  buffers: Buffer[];
  places: number[];
}

interface Loaded {
  bytes: number;
  frames: Promise<Map<number, Frames>>;
}

/** Reads older records from disk. Every block is checked before any of its records is returned. */
export class JournalReader {
  readonly #cache = new LRUCache<number, Loaded>({ maxSize: CACHE_BYTES, sizeCalculation: ({ bytes }) => bytes });

  constructor(
    private readonly segments: SegmentSet,
    /** What remains of dropped segments. */
    public carried: Carried,
  ) {}

  /**
   * Durable records [from, to) of a stream; fewer if they exceed `bytes_max`, but at least one.
   * @throws if the disk does not return acknowledged data
   */
  async read(stream: Stream, from: number, to: number, bytes_max: number): Promise<LogRecord[]> {
    if (from < stream.first) throw new RecordsDropped(stream.topic, stream.partition, from, stream.first);
    const carried = this.carried.count(stream.topic, stream.partition);
    const records = from < carried ? await this.carried.read(stream.topic, stream.partition, from, to, bytes_max) : [];
    if (from + records.length < Math.min(carried, to)) return records;
    let bytes = records.reduce((sum, { value }) => sum + value.length, 0);
    while (from + records.length < to && bytes < bytes_max) {
      const offset = from + records.length;
      const { frames, at } = await this.#framesAt(stream, offset);
      for (let i = at; i < frames.places.length && from + records.length < to && bytes < bytes_max; i++) {
        const record = takeFrame(frames.buffers[i]!, frames.places[i]!, stream.topic, stream.partition);
        bytes += record.value.length;
        records.push(record);
      }
    }
    return records;
  }

  /** The frames that contain a record, and its index among them. @throws RecordsUnreadable */
  async #framesAt(stream: Stream, offset: number): Promise<{ frames: Frames; at: number }> {
    const { topic, partition } = stream;
    try {
      const stretch = await this.segments.find(stream.id, offset);
      const frames = (await this.#load(stretch)).get(stream.id);
      const at = frames === undefined ? -1 : offset - frames.first;
      if (frames !== undefined && at >= 0 && at < frames.places.length) return { frames, at };
      const cause = new Error(`it is missing from ${segmentName(stretch.segment.base)}`);
      throw new RecordsUnreadable(topic, partition, offset, cause);
    } catch (cause) {
      throw cause instanceof DamagedSegment ? new RecordsUnreadable(topic, partition, offset, cause) : cause;
    }
  }

  /** Stretches are cached because other streams are read in parallel; the last stretch is cached only at its current length. */
  #load(stretch: Stretch): Promise<Map<number, Frames>> {
    const key = stretch.segment.base + stretch.position;
    const known = this.#cache.get(key);
    const bytes = stretch.end - stretch.position;
    if (known?.bytes === bytes) return known.frames;
    const frames = load(stretch);
    this.#cache.set(key, { bytes, frames });
    frames.catch(() => {
      if (this.#cache.peek(key)?.frames === frames) this.#cache.delete(key);
    });
    return frames;
  }
}

async function load({ segment, position, end }: Stretch): Promise<Map<number, Frames>> {
  const frames = new Map<number, Frames>();
  const scan = new BlockScan(segment.file, segment.base, end, position);
  for (let block = await scan.next(); block !== null; block = await scan.next()) {
    const { bytes } = block;
    eachFrame(block, (stream, offset, at) => {
      let found = frames.get(stream);
      if (found === undefined) {
        found = { first: offset, buffers: [], places: [] };
        frames.set(stream, found);
      }
      found.buffers.push(bytes);
      found.places.push(at);
    });
  }
  if (scan.position < end) throw new DamagedSegment(segment.base, scan.position);
  return frames;
}
