import { type EventCodec, type EventMap, type EventType, firstMeta, type TopicEvents } from '@countersign/contracts';
import type { Clock } from '@countersign/process';
import { CONFIGURATION_TOPIC, type Configuration } from '@countersign/process';
import type { LogPosition } from '@countersign/store';
import type { RecordWriter } from '../admission/record-writer.js';

/** The events of configuration-changed. */
export type ConfigurationEvent = TopicEvents['configuration-changed']['event_type'];

/** Writes configuration and comes back when this gateway's own fold has it. */
export class ConfigurationWriter {
  constructor(
    private readonly writer: RecordWriter,
    private readonly configuration: Configuration,
    private readonly codec: EventCodec,
    private readonly clock: Clock,
  ) {}

  /** @returns where it stands on configuration-changed. @throws InfrastructureFault where the log is away. */
  async set<T extends ConfigurationEvent & EventType>(tenantId: string, type: T, fields: Omit<EventMap[T], 'meta'>): Promise<LogPosition> {
    const meta = firstMeta(tenantId, this.clock.now_ms());
    const value = this.codec.encode(type, { meta, ...fields } as unknown as EventMap[T]);
    const offset = await this.writer.write({
      topic: CONFIGURATION_TOPIC,
      partition: 0,
      key: tenantId,
      value,
      headers: { event_type: type },
    });
    await this.configuration.folded(CONFIGURATION_TOPIC, offset);
    return { topic: CONFIGURATION_TOPIC, partition: 0, offset };
  }
}
