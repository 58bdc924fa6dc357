import type { EventLog, LogRecord, NewRecord } from '../../event-log.js';

const READ_MAX = 500;

/** A record that contains its name, for counting stored records. */
export function numberedRecord(topic: string, partition: number, name: string): NewRecord {
  return { topic, partition, key: name, value: Buffer.from(name), headers: { event_type: 'numbered' } };
}

export function nameOf(record: LogRecord): string {
  return record.value.toString();
}

/** All records of a topic, by partition. */
export async function readAll(log: EventLog, topic: string): Promise<LogRecord[][]> {
  const partitions: LogRecord[][] = [];
  for (let partition = 0; partition < log.partitions(topic); partition++) {
    const records: LogRecord[] = [];
    const head = await log.head(topic, partition);
    while (records.length < head) records.push(...(await log.read(topic, partition, records.length, READ_MAX)));
    partitions.push(records);
  }
  return partitions;
}
