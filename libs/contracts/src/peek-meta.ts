/** The first fields of a record's meta, read without decoding the rest. */
export interface PeekedMeta {
  event_id: string;
  tenant_id: string;
  /** null: the record belongs to no call. */
  call_id: string | null;
}

const HEADER_BYTES = 5;

/** Reads an Avro string: a zigzag varint length, then the bytes. Undefined if it is truncated. */
function textAt(value: Buffer, at: number): { text: string; end: number } | undefined {
  let length = 0;
  for (let shift = 0; ; shift += 7, at++) {
    const byte = value[at];
    if (byte === undefined || shift > 21) return undefined;
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  const from = at + 1;
  const end = from + (length >> 1);
  return (length & 1) === 0 && end <= value.length ? { text: value.toString('utf8', from, end), end } : undefined;
}

/**
 * Reads the first three fields of the meta of an event in the Confluent wire format: every event begins with its meta, and meta grows only
 * at its end. Undefined if the bytes are not an event.
 */
export function peekMeta(value: Buffer): PeekedMeta | undefined {
  if (value[0] !== 0) return undefined;
  const event = textAt(value, HEADER_BYTES);
  const tenant = event && textAt(value, event.end);
  if (!event || !tenant) return undefined;
  const { text: event_id } = event;
  const { text: tenant_id } = tenant;
  switch (value[tenant.end]) {
    case 0:
      return { event_id, tenant_id, call_id: null };
    case 2: {
      const call = textAt(value, tenant.end + 1);
      return call && { event_id, tenant_id, call_id: call.text };
    }
    default:
      return undefined;
  }
}
