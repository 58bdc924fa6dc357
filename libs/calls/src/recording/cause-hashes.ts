import { type CallTopic, isInfrastructureFault, laneTopic, leafHashText, peekMeta, timeOfId } from '@countersign/contracts';
import type { NewestFact } from '@countersign/domain';
import { type EventLog, type LogRecord, RecordsDropped } from '@countersign/event-log';

/** The topics of the facts of a call; the undo of its effect is a record of another call. */
const TOPICS: { readonly [N in NonNullable<NewestFact['name']>]: CallTopic | null } = {
  requested: 'tool-call-requested',
  ruling: 'policy-decided',
  approval: 'policy-decided',
  approval_end: 'approval-granted',
  started: 'tool-executed',
  doubt: 'tool-executed',
  end: 'tool-executed',
  late_effect: 'tool-executed',
  compensation: null,
};

/** The id of an event has the time of its writer, which may differ from that of the log. */
const SKEW_MS = 2_000;
const LATE_MS = 10_000;
const READ_AT_ONCE = 200;
const RECORDS_MAX = 2_000;

/** Hashes the records of facts that a command of a person follows from: views have the facts, and the log has their bytes. */
export class CauseHashes {
  constructor(private readonly log: Pick<EventLog, 'since' | 'read'>) {}

  /** Null if the record is not found where its id says, or cannot be read now: a command does not wait for its proof. */
  async of({ name, event_id }: NewestFact, at: { lane: string; partition: number }): Promise<string | null> {
    const topic = name && TOPICS[name];
    if (!topic || event_id === null) return null;
    try {
      const record = await this.find(event_id, laneTopic(topic, at.lane), at.partition);
      return record ? leafHashText(record) : null;
    } catch (cause) {
      if (isInfrastructureFault(cause) || cause instanceof RecordsDropped) return null;
      throw cause;
    }
  }

  private async find(event_id: string, topic: string, partition: number): Promise<LogRecord | undefined> {
    const made_ms = timeOfId(event_id);
    const first = await this.log.since(topic, partition, made_ms - SKEW_MS);
    for (let offset = first; offset < first + RECORDS_MAX; ) {
      const records = await this.log.read(topic, partition, offset, READ_AT_ONCE);
      const found = records.find(({ value }) => peekMeta(value)?.event_id === event_id);
      const last = records.at(-1);
      if (found || !last || last.timestamp_ms > made_ms + LATE_MS) return found;
      offset = last.offset + 1;
    }
    return undefined;
  }
}
