/** The attributes of a CloudEvent (1.0.2) that exports use. */
export interface CloudEventAttributes {
  /** Unique together with `source`, so that readers can deduplicate. */
  id: string;
  /** Reverse DNS, with the version of the schema. */
  type: string;
  subject: string | null;
  time_ms: number;
  tenant_id: string;
}

/** One source for the log of one installation. */
const CLOUD_EVENT_SOURCE = '/countersign/log';

/** The headers of a CloudEvent in the binary mode of the Kafka binding; the value is its data, Avro in the Confluent wire format. */
export function cloudEventHeaders({ id, type, subject, time_ms, tenant_id }: CloudEventAttributes): Record<string, string> {
  return {
    'content-type': 'application/avro',
    ce_specversion: '1.0',
    ce_id: id,
    ce_source: CLOUD_EVENT_SOURCE,
    ce_type: type,
    ce_time: new Date(time_ms).toISOString(),
    ...(subject === null ? {} : { ce_subject: subject }),
    ce_tenantid: tenant_id,
  };
}
