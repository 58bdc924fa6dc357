import {
  type Dropped,
  type DropTerms,
  EventLog,
  type Follower,
  type LogHealth,
  type LogRecord,
  type NewRecord,
  type RunningSubscription,
  type Subscription,
  type TopicSpec,
} from '../event-log.js';
import { type EmbeddedOptions, embeddedSettings } from './embedded-options.js';
import { Journal } from './journal.js';
import { LogDirectory } from './log-directory.js';
import { LogReaders } from './log-readers.js';
import type { LastStop } from './stop-marker.js';

/**
 * The log in one process, durable on disk: all topics in one journal of segment files. Offsets have no gaps. Only one process can open a
 * directory; a second open is refused with one clear line.
 */
export class EmbeddedEventLog extends EventLog {
  /** False if the previous process did not close the log: see `last_stop`. */
  readonly opened_clean: boolean;
  readonly last_stop: LastStop;
  /** The machine did not restart since the log was last open, so unsynced files of the previous process are complete. */
  readonly same_boot: boolean;
  /** Bytes of an unacknowledged write that the last stop left torn and that opening removed. */
  readonly cut_bytes: number;
  #closing: Promise<void> | undefined;

  private constructor(
    private readonly directory: LogDirectory,
    private readonly journal: Journal,
    private readonly readers: LogReaders,
    private readonly onFault: (error: unknown) => void,
  ) {
    super();
    const { last_stop, same_boot } = directory.report;
    this.last_stop = last_stop;
    this.opened_clean = last_stop === 'clean' || last_stop === 'first_start';
    this.same_boot = same_boot;
    this.cut_bytes = journal.cut_bytes;
  }

  /**
   * @throws DirectoryLocked if another process has it open
   * @throws if an acknowledged part of the journal is damaged or missing
   */
  static async open(options: EmbeddedOptions): Promise<EmbeddedEventLog> {
    const settings = embeddedSettings(options);
    const directory = await LogDirectory.open(settings);
    try {
      const journal = await Journal.open(settings, directory.report);
      await directory.running(journal.fresh);
      return new EmbeddedEventLog(directory, journal, await LogReaders.open(settings, journal), settings.onFault);
    } catch (cause) {
      await directory.release();
      throw cause;
    }
  }

  override get health(): LogHealth {
    return this.journal.writer.state;
  }

  /** The error that made the log fail. */
  get failure(): Error | undefined {
    return this.journal.writer.failure;
  }

  /**
   * Records that the consequences of a machine crash were handled (unsynced stores were deleted). Until then each start reports the
   * crash.
   */
  crashHandled(): Promise<void> {
    return this.directory.crashHandled();
  }

  ensureTopics(specs: readonly TopicSpec[]): Promise<void> {
    return this.journal.writer.createTopics(specs);
  }

  partitions(topic: string): number {
    return this.journal.table.of(topic).length;
  }

  append(records: readonly NewRecord[]): Promise<number[]> {
    return this.journal.writer.append(records);
  }

  async subscribe(subscription: Subscription): Promise<RunningSubscription> {
    return this.readers.subscribe(subscription);
  }

  async follow(follower: Follower): Promise<RunningSubscription> {
    return this.readers.follow(follower);
  }

  read(topic: string, partition: number, from_offset: number, records_max: number): Promise<LogRecord[]> {
    return this.journal.read(topic, partition, from_offset, records_max);
  }

  override async first(topic: string, partition: number): Promise<number> {
    return this.journal.table.stream(topic, partition).first;
  }

  /** Drops the oldest segments, as far as the terms and active readers allow. One drop at a time. */
  override drop(terms: DropTerms): Promise<Dropped> {
    return this.journal.drop(terms);
  }

  async head(topic: string, partition: number): Promise<number> {
    return this.journal.table.stream(topic, partition).durable;
  }

  /** Stops the readers, writes pending appends, saves offsets and marks the stop as clean. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Releases everything as the death of the process would: records that are not durable are lost, and the stop is not clean. */
  kill(): Promise<void> {
    this.#closing ??= this.#kill();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { writer } = this.journal;
    await this.journal.dropped();
    await this.readers.end();
    await writer.close();
    try {
      await this.readers.saveOffsets();
      if (writer.state === 'closed') await this.directory.closed(this.journal.end);
    } catch (fault) {
      // No space for the small files: the next start sees an unclean stop and older offsets, and both are safe.
      this.onFault(fault);
    } finally {
      await this.#release();
    }
  }

  async #kill(): Promise<void> {
    this.readers.kill();
    await this.journal.writer.kill();
    await this.#release();
  }

  async #release(): Promise<void> {
    await this.journal.release();
    await this.directory.release();
  }
}
