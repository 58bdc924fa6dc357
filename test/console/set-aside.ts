import path from 'node:path';
import { EventCodec } from '@countersign/contracts';
import { EmbeddedEventLog } from '@countersign/event-log';
import type { EmbeddedPlatform } from '../journeys/embedded-platform.js';

/** Adds a dead letter of tenant `default` to the log of a platform, as a consumer does it. The platform is stopped meanwhile. */
export async function setAside(platform: EmbeddedPlatform, cause: string): Promise<void> {
  await platform.process.stop();
  const log = await EmbeddedEventLog.open({ dir: path.join(platform.dataDir, 'log') });
  const meta = {
    ...{ event_id: 'e', tenant_id: 'default', call_id: null, attempt: 0 },
    ...{ causation_id: null, correlation_id: '', hlc: 1, partition: 0 },
  };
  const value = new EventCodec().encode('record_dead_lettered', {
    meta,
    ...{ source_topic: 'tool-executed', source_partition: 0, source_offset: 7, consumer: 'policy', cause },
    ...{ value: Buffer.from('not to be decoded'), dead_lettered_at_ms: Date.now() },
  });
  await log.append([{ topic: 'dead-letter', partition: 0, key: null, value, headers: {} }]);
  await log.close();
  await platform.up();
}
