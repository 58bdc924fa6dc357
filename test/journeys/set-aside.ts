import path from 'node:path';
import { EventCodec } from '@countersign/contracts';
import { EmbeddedEventLog } from '@countersign/event-log';
import type { EmbeddedPlatform } from './embedded-platform.js';

/** A record that a consumer could not handle. */
interface SetAside {
  cause: string;
  consumer: string;
  topic: string;
  /** Default 0. */
  partition?: number;
  offset: number;
}

/** Adds dead letters of tenant `default` to the log of a platform, as consumers do it. The platform is stopped meanwhile. */
export async function setAside(platform: EmbeddedPlatform, letters: readonly SetAside[]): Promise<void> {
  await platform.process.stop();
  const log = await EmbeddedEventLog.open({ dir: path.join(platform.dataDir, 'log') });
  const values = letters.map((letter, at) => encoded(`letter-${at}`, letter));
  await log.append(values.map((value) => ({ topic: 'dead-letter', partition: 0, key: null, value, headers: {} })));
  await log.close();
  await platform.up();
}

function encoded(event_id: string, { cause, consumer, topic, partition = 0, offset }: SetAside): Buffer {
  const meta = {
    ...{ event_id, tenant_id: 'default', call_id: null, attempt: 0 },
    ...{ causation_id: null, correlation_id: '', hlc: 1, partition: 0 },
  };
  return new EventCodec().encode('record_dead_lettered', {
    meta,
    ...{ source_topic: topic, source_partition: partition, source_offset: offset, consumer, cause },
    ...{ value: Buffer.from('not to be decoded'), dead_lettered_at_ms: Date.now() },
  });
}

/** The places of the events of a type on the log of a platform, in the partitions of a topic. The platform is stopped meanwhile. */
export async function placesOf(
  platform: EmbeddedPlatform,
  topic: string,
  event_type: string,
): Promise<Pick<SetAside, 'topic' | 'partition' | 'offset'>[]> {
  await platform.process.stop();
  const log = await EmbeddedEventLog.open({ dir: path.join(platform.dataDir, 'log') });
  const partitions = Array.from({ length: log.partitions(topic) }, (_, partition) => log.read(topic, partition, 0, 1_000));
  const records = (await Promise.all(partitions)).flat();
  await log.close();
  await platform.up();
  return records.filter(({ headers }) => headers.event_type === event_type).map(({ partition, offset }) => ({ topic, partition, offset }));
}
