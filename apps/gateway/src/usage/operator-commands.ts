import type { CallSealer, RecordWriter } from '@countersign/calls';
import { type EventCodec, type EventMap, firstMeta, type TopicEvents } from '@countersign/contracts';
import type { Clock } from '@countersign/process';
import type { LogPosition } from '@countersign/store';

type OperatorCommand = TopicEvents['operator-command']['event_type'];
const TOPIC = 'operator-command';

/** Writes operator commands to the log. */
export class OperatorCommands {
  constructor(
    private readonly writer: RecordWriter,
    private readonly codec: EventCodec,
    private readonly clock: Clock,
    /** Encrypts personal data in commands. */
    readonly sealer: CallSealer,
  ) {}

  /** @returns its log position. @throws InfrastructureFault if the log is unavailable. */
  async say<T extends OperatorCommand>(tenant_id: string, type: T, fields: Omit<EventMap[T], 'meta'>): Promise<LogPosition> {
    const meta = firstMeta(tenant_id, this.clock.now_ms());
    const value = this.codec.encode(type, { meta, ...fields } as unknown as EventMap[T]);
    const offset = await this.writer.write({ topic: TOPIC, partition: 0, key: tenant_id, value, headers: { event_type: type } });
    return { topic: TOPIC, partition: 0, offset };
  }
}
