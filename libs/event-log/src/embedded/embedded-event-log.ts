import { mkdir } from 'node:fs/promises';
import {
  type Dropped,
  type DropTerms,
  EventLog,
  type Follower,
  type LogHealth,
  type LogRecord,
  type NewRecord,
  RecordsDropped,
  type RunningSubscription,
  type Subscription,
  type TopicSpec,
} from '../event-log.js';
import { Carried } from './carried.js';
import { CommittedOffsets } from './committed-offsets.js';
import { DirectoryLock } from './directory-lock.js';
import { type Disk, NodeDisk } from './disk.js';
import { FollowRun } from './follow-run.js';
import { Group } from './group.js';
import { JournalReader } from './journal-reader.js';
import { JournalWriter } from './journal-writer.js';
import { recover } from './recovery.js';
import { SegmentDrop } from './segment-drop.js';
import { SegmentSet } from './segment-set.js';
import { type LastStop, StopMarker, type StopReport } from './stop-marker.js';
import type { StreamTable } from './stream-table.js';
import { TailRing } from './tail-ring.js';

export interface EmbeddedOptions {
  /** Made if missing. One process at a time may have it open. */
  dir: string;
  /** `none` only for tests: then nothing survives a crash of the machine. */
  fsync?: 'fdatasync' | 'none';
  /** The journal goes on in a new file after so many bytes; default 64 MiB. */
  segment_bytes?: number;
  /** The newest records kept in memory, about; default 32 MiB. */
  tail_bytes?: number;
  /** Appends are refused while more than this waits for the disk; default 256 MiB. */
  pending_bytes_max?: number;
  /** The largest value; default 8 MiB. */
  record_bytes_max?: number;
  /** While the disk is full a write is tried again after so long; default 250 ms. */
  full_retry_ms?: number;
  /** Committed offsets are saved after so long; default 1000 ms. */
  offsets_save_ms?: number;
  /** A handler is waited for so long when its partition moves or its subscription closes; default 5000 ms. */
  handover_ms?: number;
  /** Distance of index entries; default 64 KiB. */
  chunk_bytes?: number;
  /** Epoch milliseconds: the time records are stamped with. */
  clock?: () => number;
  disk?: Disk;
  /** Told of every handler or read that failed and will be tried again. */
  onFault?: (error: unknown) => void;
}

/** What an open log is made of. */
interface Parts {
  table: StreamTable;
  segments: SegmentSet;
  writer: JournalWriter;
  reader: JournalReader;
  committed: CommittedOffsets;
  lock: DirectoryLock;
  marker: StopMarker;
  report: StopReport;
  cut_bytes: number;
}

/**
 * The log in one process, durable on disk: all topics in one journal of segment files. Offsets have no gaps.
 * Only one may have a directory open; a second open is refused with one clear line.
 */
export class EmbeddedEventLog extends EventLog {
  /** False if the process before did not close the log: then look at `last_stop`. */
  readonly opened_clean: boolean;
  readonly last_stop: LastStop;
  /** The machine was not restarted since the log was last open, so unsynced files of the process before are whole. */
  readonly same_boot: boolean;
  /** Bytes of an unacknowledged write that the last stop had cut and that opening removed. */
  readonly cut_bytes: number;
  readonly #groups = new Map<string, Group>();
  readonly #follows = new Set<FollowRun>();
  readonly #parts: Parts;
  readonly #options: EmbeddedOptions;
  #closing: Promise<void> | undefined;
  #dropping: Promise<unknown> = Promise.resolve();

  private constructor(options: EmbeddedOptions, parts: Parts) {
    super();
    this.#options = options;
    this.#parts = parts;
    this.last_stop = parts.report.last_stop;
    this.opened_clean = this.last_stop === 'clean' || this.last_stop === 'first_start';
    this.same_boot = parts.report.same_boot;
    this.cut_bytes = parts.cut_bytes;
  }

  /**
   * @throws DirectoryLocked where another process has it open
   * @throws where an acknowledged part of the journal is damaged or missing
   */
  static async open(options: EmbeddedOptions): Promise<EmbeddedEventLog> {
    await mkdir(options.dir, { recursive: true, mode: 0o700 });
    const lock = await DirectoryLock.acquire(options.dir);
    try {
      return new EmbeddedEventLog(options, await openParts(options, lock));
    } catch (cause) {
      await lock.release();
      throw cause;
    }
  }

  override get health(): LogHealth {
    return this.#parts.writer.state;
  }

  /** What made the log fail. */
  get failure(): Error | undefined {
    return this.#parts.writer.failure;
  }

  /** Says that what a crash of the machine asks for was done (unsynced stores were deleted). Until then each start reports the crash. */
  crashHandled(): Promise<void> {
    return this.#parts.marker.running(false);
  }

  ensureTopics(specs: readonly TopicSpec[]): Promise<void> {
    return this.#parts.writer.createTopics(specs);
  }

  partitions(topic: string): number {
    return this.#parts.table.of(topic).length;
  }

  append(records: readonly NewRecord[]): Promise<number[]> {
    return this.#parts.writer.append(records);
  }

  async subscribe(subscription: Subscription): Promise<RunningSubscription> {
    for (const topic of subscription.topics) this.#parts.table.of(topic);
    let group = this.#groups.get(subscription.group);
    if (group === undefined) {
      const { table, reader, committed } = this.#parts;
      group = new Group({ table, reader, committed, handover_ms: this.#options.handover_ms ?? 5_000, onFault: this.#fault });
      this.#groups.set(subscription.group, group);
    }
    return group.join(subscription);
  }

  async follow(follower: Follower): Promise<RunningSubscription> {
    const run = new FollowRun(follower, this.#parts.table, { reader: this.#parts.reader, onFault: this.#fault }, (ended) =>
      this.#follows.delete(ended),
    );
    this.#follows.add(run);
    return run;
  }

  async read(topic: string, partition: number, from_offset: number, records_max: number): Promise<LogRecord[]> {
    const stream = this.#parts.table.stream(topic, partition);
    if (from_offset < stream.first) throw new RecordsDropped(topic, partition, from_offset, stream.first);
    const to = Math.min(from_offset + records_max, stream.durable);
    if (to <= from_offset) return [];
    return stream.fromTail(from_offset, to) ?? this.#parts.reader.read(stream, from_offset, to, Number.POSITIVE_INFINITY);
  }

  override async first(topic: string, partition: number): Promise<number> {
    return this.#parts.table.stream(topic, partition).first;
  }

  /** Drops the oldest segments, as far as the terms and those who read allow. One at a time. */
  override drop(terms: DropTerms): Promise<Dropped> {
    const { segments, table, reader } = this.#parts;
    const place = { dir: this.#options.dir, disk: this.#options.disk ?? new NodeDisk() };
    const dropped = this.#dropping.catch(() => undefined).then(() => new SegmentDrop(place, segments, table, reader).drop(terms));
    this.#dropping = dropped;
    return dropped;
  }

  async head(topic: string, partition: number): Promise<number> {
    return this.#parts.table.stream(topic, partition).durable;
  }

  /** Ends the readers, writes what was appended, saves offsets and marks the stop as clean. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Lets go of everything as the death of the process would: what is not durable is lost, the stop is not clean. */
  kill(): Promise<void> {
    this.#closing ??= this.#kill();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#dropping.catch(() => undefined);
    const { writer, committed, segments, reader, marker, lock } = this.#parts;
    await this.#endReaders();
    await writer.close();
    try {
      await committed.close();
      if (writer.state === 'closed') await marker.closed(segments.active.end);
    } catch (fault) {
      // No room for the small files: the next start sees an unclean stop and older offsets, both of which are safe.
      this.#fault(fault);
    } finally {
      await reader.carried.close();
      await segments.close();
      await lock.release();
    }
  }

  async #kill(): Promise<void> {
    const { writer, committed, segments, reader, lock } = this.#parts;
    committed.stop();
    void this.#endReaders();
    await writer.kill();
    await reader.carried.close();
    await segments.close();
    await lock.release();
  }

  async #endReaders(): Promise<void> {
    await Promise.all([...this.#groups.values()].map((group) => group.close()));
    const timer = new AbortController();
    const handover = new Promise((resolve) => {
      const wait = setTimeout(resolve, this.#options.handover_ms ?? 5_000);
      timer.signal.addEventListener('abort', () => clearTimeout(wait));
    });
    await Promise.race([Promise.all([...this.#follows].map((run) => run.close())), handover]);
    timer.abort();
  }

  readonly #fault = (error: unknown): void => this.#options.onFault?.(error);
}

async function openParts(options: EmbeddedOptions, lock: DirectoryLock): Promise<Parts> {
  const { dir } = options;
  const disk = options.disk ?? new NodeDisk();
  const chunk_bytes = options.chunk_bytes ?? 64 * 1024;
  const { marker, report } = await StopMarker.open(dir, disk);
  const carried = await Carried.open(dir);
  const {
    segments: files,
    table,
    cut_bytes,
    fresh,
  } = await recover({
    dir,
    disk,
    chunk_bytes,
    closed_end: report.end,
    dropped_below: carried.base,
  });
  for (const stream of table.streams)
    stream.first = carried.count(stream.topic, stream.partition) > 0 ? 0 : (files[0]?.first[stream.id] ?? 0);
  // Segments without a marker: somebody removed it, so nothing is known about the last stop.
  if (!fresh && report.last_stop === 'first_start') report.last_stop = 'machine_crashed';
  const segments = new SegmentSet({ dir, disk, segment_bytes: options.segment_bytes ?? 64 * 1024 * 1024, chunk_bytes }, files);
  await marker.running(report.last_stop === 'machine_crashed');
  const writer = new JournalWriter(
    {
      clock: options.clock ?? Date.now,
      record_bytes_max: options.record_bytes_max ?? 8 * 1024 * 1024,
      pending_bytes_max: options.pending_bytes_max ?? 256 * 1024 * 1024,
      full_retry_ms: options.full_retry_ms ?? 250,
      fsync: options.fsync ?? 'fdatasync',
    },
    segments,
    table,
    new TailRing(options.tail_bytes ?? 32 * 1024 * 1024),
  );
  const committed = await CommittedOffsets.open(dir, options.offsets_save_ms ?? 1_000, (topic, partition, offset) =>
    table.has(topic) ? Math.min(offset, table.of(topic)[partition]?.durable ?? 0) : 0,
  );
  return { table, segments, writer, reader: new JournalReader(segments, carried), committed, lock, marker, report, cut_bytes };
}
