import type { EventType, Meta } from '@countersign/contracts';

/** A record that downstream consumers read as a CloudEvent. */
export interface CloudEvent {
  event_type: EventType;
  version: number;
  meta: Meta;
  /** What it is about. */
  subject: string;
  time_ms: number;
}

/** Headers of a record in CloudEvents' binary mode for Kafka (1.0.2); its value is the event in the Confluent wire format. */
export function cloudEventHeaders({ event_type, version, meta, subject, time_ms }: CloudEvent): Record<string, string> {
  return {
    event_type,
    'content-type': 'avro/binary',
    ce_specversion: '1.0',
    ce_id: meta.event_id,
    ce_source: `/countersign/${encodeURIComponent(meta.tenant_id)}`,
    ce_type: `dev.countersign.${event_type}.v${version}`,
    ce_subject: subject,
    ce_time: new Date(time_ms).toISOString(),
    ce_partitionkey: meta.tenant_id,
  };
}
