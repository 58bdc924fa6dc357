import type { EventLog } from '@countersign/event-log';
import type { LogPosition } from '@countersign/store';

/** The positions of the newest records that these topics have in a partition now. A topic whose records were all dropped has none. */
export async function newestRecords(
  log: Pick<EventLog, 'head' | 'first'>,
  topics: readonly string[],
  partition: number,
): Promise<LogPosition[]> {
  const found = topics.map(async (topic) => ({ topic, head: await log.head(topic, partition), first: await log.first(topic, partition) }));
  return (await Promise.all(found))
    .filter(({ head, first }) => head > first)
    .map(({ topic, head }) => ({ topic, partition, offset: head - 1 }));
}
