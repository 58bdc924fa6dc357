import { InfrastructureFault } from '@countersign/contracts';
import { EventLog } from '@countersign/event-log';

/** A log whose appends sometimes answer with an error: before anything was written, or although it was. */
export class FaultyLog extends EventLog {
  appends = 0;
  /** Every nth append fails; 0: none. */
  every = 0;
  constructor(private readonly log: EventLog) {
    super();
  }
  ensureTopics: EventLog['ensureTopics'] = (specs) => this.log.ensureTopics(specs);
  partitions: EventLog['partitions'] = (topic) => this.log.partitions(topic);
  subscribe: EventLog['subscribe'] = (subscription) => this.log.subscribe(subscription);
  follow: EventLog['follow'] = (follower) => this.log.follow(follower);
  read: EventLog['read'] = (topic, partition, offset, max) => this.log.read(topic, partition, offset, max);
  head: EventLog['head'] = (topic, partition) => this.log.head(topic, partition);
  close: EventLog['close'] = () => this.log.close();

  append: EventLog['append'] = async (records) => {
    const nth = ++this.appends;
    const fails = this.every > 0 && nth % this.every === 0;
    if (fails && nth % 2 === 0) throw new InfrastructureFault('refused, nothing was written');
    const offsets = await this.log.append(records);
    if (fails) throw new InfrastructureFault('no answer, although it was written');
    return offsets;
  };
}
