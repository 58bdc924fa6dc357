import { InfrastructureFault } from '@countersign/contracts';
import { EventLog, type NewRecord } from '@countersign/event-log';

/** A log whose appends sometimes fail: before anything was written, or after. */
export class FaultyLog extends EventLog {
  appends = 0;
  /** Every nth append fails; 0: none. */
  every = 0;
  /** Refuses an append that contains such a record, and writes nothing of it. */
  refuses: (record: NewRecord) => boolean = () => false;
  refused = 0;
  /** Reads of this topic, of at most this many records, fail. */
  unreadable: (topic: string, max: number) => boolean = () => false;
  unread = 0;
  /** An append waits for this before it writes; undefined: it does not wait. */
  delay: (records: readonly NewRecord[]) => Promise<void> | undefined = () => undefined;
  /** The staleness that followers of a topic see; undefined: the real one. */
  staleness_ms: number | undefined;
  /** Number of reads of the staleness of configuration-changed. */
  configuration_reads = 0;
  constructor(private readonly log: EventLog) {
    super();
  }
  ensureTopics: EventLog['ensureTopics'] = (specs) => this.log.ensureTopics(specs);
  partitions: EventLog['partitions'] = (topic) => this.log.partitions(topic);
  subscribe: EventLog['subscribe'] = (subscription) => this.log.subscribe(subscription);
  read: EventLog['read'] = async (topic, partition, offset, max) => {
    if (!this.unreadable(topic, max)) return this.log.read(topic, partition, offset, max);
    this.unread++;
    throw new InfrastructureFault('cannot be read now');
  };
  head: EventLog['head'] = (topic, partition) => this.log.head(topic, partition);
  close: EventLog['close'] = () => this.log.close();

  follow: EventLog['follow'] = async (follower) => {
    const running = await this.log.follow(follower);
    return {
      commit: (offsets) => running.commit(offsets),
      caughtUp: () => running.caughtUp(),
      close: () => running.close(),
      staleness_ms: (topic) => {
        if (topic === 'configuration-changed') this.configuration_reads++;
        return this.staleness_ms ?? running.staleness_ms(topic);
      },
    };
  };

  append: EventLog['append'] = async (records) => {
    if (records.some((record) => this.refuses(record))) {
      this.refused++;
      throw new InfrastructureFault('refused, nothing was written');
    }
    await this.delay(records);
    const nth = ++this.appends;
    const fails = this.every > 0 && nth % this.every === 0;
    if (fails && nth % 2 === 0) throw new InfrastructureFault('refused, nothing was written');
    const offsets = await this.log.append(records);
    if (fails) throw new InfrastructureFault('no answer, although it was written');
    return offsets;
  };
}
