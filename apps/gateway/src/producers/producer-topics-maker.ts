import { Refusal } from '@countersign/calls';
import { isInfrastructureFault, producerTopics } from '@countersign/contracts';
import type { EventLog } from '@countersign/event-log';
import { producerTopicSpecs } from '@countersign/process';

/** Creates the topics of producers. */
export class ProducerTopicsMaker {
  constructor(private readonly log: Pick<EventLog, 'ensureTopics' | 'partitions' | 'is_shared'>) {}

  /** False on the embedded log: nothing outside of the process can write to it. */
  get is_possible(): boolean {
    return this.log.is_shared;
  }

  /** Creates the topics that are missing. @returns why it cannot */
  async ensure(producer_id: string): Promise<Refusal | undefined> {
    try {
      await this.log.ensureTopics(producerTopicSpecs(producer_id, this.log.partitions('policy-decided')));
      return undefined;
    } catch (cause) {
      if (!isInfrastructureFault(cause)) throw cause;
      const { requests, answers } = producerTopics(producer_id);
      const detail = `the topics ${requests} and ${answers} do not exist, and the gateway cannot create them: run scripts/real/acls.mjs --producer ${producer_id} as an administrator of Kafka, then send this request again`;
      return new Refusal('unavailable', detail, { reason: 'producer_topics_missing' });
    }
  }
}
