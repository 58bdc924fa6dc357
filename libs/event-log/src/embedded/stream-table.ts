import type { TopicSpec } from '../event-log.js';
import { Stream } from './stream.js';

/** A topic as stored in segment starts and topic blocks: its streams are numbered from `first_stream` on. */
export interface TopicEntry {
  name: string;
  first_stream: number;
  partitions: number;
}

/** All streams by number and by topic. Numbers are assigned once, in the order of the journal, and never reused. */
export class StreamTable {
  readonly streams: Stream[] = [];
  readonly #topics = new Map<string, Stream[]>();

  /** Adds a topic from the journal; a known topic changes nothing. */
  restore(entry: TopicEntry, next: readonly number[]): void {
    if (this.#topics.has(entry.name)) return;
    if (entry.first_stream !== this.streams.length) throw new Error(`topic ${entry.name} does not continue the stream numbers before it`);
    const streams: Stream[] = [];
    for (let partition = 0; partition < entry.partitions; partition++) {
      streams.push(new Stream(entry.first_stream + partition, entry.name, partition, next[partition] ?? 0));
    }
    this.streams.push(...streams);
    this.#topics.set(entry.name, streams);
  }

  /** Adds the missing topics and returns them. */
  addMissing(specs: readonly TopicSpec[]): TopicEntry[] {
    const added: TopicEntry[] = [];
    for (const { name, partitions } of specs) {
      if (this.#topics.has(name)) continue;
      if (!Number.isInteger(partitions) || partitions < 1 || partitions > 4096)
        throw new RangeError(`topic ${name}: ${partitions} partitions`);
      const entry = { name, first_stream: this.streams.length, partitions };
      this.restore(entry, []);
      added.push(entry);
    }
    return added;
  }

  entries(): TopicEntry[] {
    return [...this.#topics].map(([name, streams]) => ({ name, first_stream: streams[0]!.id, partitions: streams.length }));
  }

  has(topic: string): boolean {
    return this.#topics.has(topic);
  }

  /** @throws if the topic does not exist */
  of(topic: string): readonly Stream[] {
    const streams = this.#topics.get(topic);
    if (streams === undefined) throw new Error(`topic ${topic} does not exist`);
    return streams;
  }

  /** @throws if the partition does not exist */
  stream(topic: string, partition: number): Stream {
    const stream = this.of(topic)[partition];
    if (stream === undefined) throw new Error(`topic ${topic} has no partition ${partition}`);
    return stream;
  }

  /** The next offset of every stream, by stream number. */
  nextOffsets(): Float64Array {
    const offsets = new Float64Array(this.streams.length);
    for (const stream of this.streams) offsets[stream.id] = stream.next;
    return offsets;
  }
}
