import { EventCodec, eventSchemas } from '@countersign/contracts';
import type { Decision, ReadDecision, RecordToCover, WireDecision } from '@countersign/proofs';

const DECISION = 'damage_accepted';

/** Decodes a `damage_accepted`. Accepts only schemas that this build knows: another schema could decode the bytes differently. */
export const readDecision: ReadDecision = (value, schema): Decision | undefined => {
  if (!eventSchemas.some((known) => known.event_type === DECISION && known.schema === schema)) return undefined;
  const codec = new EventCodec();
  const id = codec.schemaId(value);
  if (id === undefined) return undefined;
  codec.addWriterSchema(id, schema);
  const { event_type, event } = codec.decode(value);
  if (event_type !== DECISION) return undefined;
  const { meta, opened, by, reason, accepted_at_ms } = event;
  return { event_id: meta.event_id, opened, by: `${by.kind} ${by.id}`, reason, accepted_at_ms };
};

/** The record of a decision with its inclusion path, as included in an entry. */
export function wireDecision(record: RecordToCover, path: readonly Buffer[]): WireDecision {
  const { offset, timestamp_ms, key, headers, value } = record;
  const schemas = eventSchemas.filter(({ event_type }) => event_type === DECISION).sort((a, b) => b.version - a.version);
  return {
    ...{ offset, timestamp_ms, key, headers: { ...headers }, value: Buffer.from(value).toString('base64') },
    schema: (schemas[0] as (typeof schemas)[number]).schema,
    path: path.map((hash) => hash.toString('base64')),
  };
}
