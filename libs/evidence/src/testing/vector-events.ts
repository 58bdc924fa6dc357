import type { RecordToCover } from '@countersign/proofs';
import { parseAvro } from '@countersign/verifier/avro/avro-type';
import { writeAvro } from './write-avro.js';

const optional = (type: string) => ['null', type];
const fields = (all: Record<string, unknown>) => Object.entries(all).map(([name, type]) => ({ name, type }));
const record = (name: string, all: Record<string, unknown>) => ({ type: 'record', name, namespace: 'countersign', fields: fields(all) });

const META = record('meta', {
  ...{ event_id: 'string', tenant_id: 'string', call_id: optional('string'), causation_id: optional('string') },
  ...{ hlc: 'long', cause_hash: optional('string') },
});
const CALL = record('call', { tool: 'string', effect_class: 'string', case_id: optional('string') });
const OUTCOME = record('outcome', { status: 'string', effect: 'string' });
const RULING = { decision_id: 'string', revision: 'int', effect: 'string', rule: 'string', bundle_version: 'string' };
const APPROVAL = { approval_id: optional('string'), joined_call_id: optional('string') };

/** Events with the members of which proofs.md speaks, and no others: schemas of a release have many more. By schema id. */
const EVENTS: Readonly<Record<number, object>> = {
  1: record('tool_call_requested', { meta: META, call: CALL }),
  2: record('policy_decided', { meta: META, ...RULING, ...APPROVAL, call: CALL }),
  3: record('tool_call_started', { meta: META, revision: 'int', epoch: 'int' }),
  4: record('tool_executed', { meta: META, epoch: 'int', outcome: OUTCOME }),
  5: record('case_covered', {
    meta: META,
    ...{ case_id: 'string', entry: 'long', cut: 'long', added: 'int', records: 'long', hash: 'string', previous: optional('long') },
  }),
};

/** The schemas of the vectors, as a decoder knows its own. */
export const vectorSchemas = Object.entries(EVENTS).map(([id, schema]) => ({
  id,
  event_type: (schema as { name: string }).name,
  version: 1,
  schema: JSON.stringify(schema),
}));

const HEADER_BYTES = 5;

/** The value of an event in the wire format. */
export function vectorValue(event_type: string, event: object): Buffer {
  const known = vectorSchemas.find((one) => one.event_type === event_type);
  if (!known) throw new RangeError(`the vectors have no event ${event_type}`);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(Number(known.id), 1);
  return Buffer.concat([header, writeAvro(parseAvro(known.schema), event)]);
}

export interface VectorEvent {
  event_type: string;
  event: { meta: Record<string, unknown> };
  record: RecordToCover;
}

/** An event as a record at its place. */
export function vectorEvent(
  topic: string,
  offset: number,
  timestamp_ms: number,
  event_type: string,
  event: VectorEvent['event'],
): VectorEvent {
  const value = vectorValue(event_type, event);
  return { event_type, event, record: { topic, partition: 0, offset, timestamp_ms, key: null, headers: { event_type }, value } };
}
