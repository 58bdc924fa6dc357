const WIRE_HEADER_BYTES = 5;

/** Reads a zig-zag varint; -1 if it does not end within the value. */
function readLong(value: Buffer, at: number): { value: number; next: number } {
  let result = 0;
  let shift = 1;
  for (let i = at; i < value.length && i < at + 8; i++) {
    const byte = value[i] as number;
    result += (byte & 0x7f) * shift;
    if (byte < 0x80) return { value: result % 2 === 0 ? result / 2 : -(result + 1) / 2, next: i + 1 };
    shift *= 128;
  }
  return { value: -1, next: value.length };
}

/**
 * Reads the call id of an encoded event without decoding it: `meta` is the first field of every record and begins with event_id, tenant_id,
 * call_id. Undefined if the record has no call id or another format.
 */
export function peekCallId(value: Buffer): string | undefined {
  const eventId = readLong(value, WIRE_HEADER_BYTES);
  if (eventId.value < 0) return undefined;
  const tenantId = readLong(value, eventId.next + eventId.value);
  if (tenantId.value < 0) return undefined;
  const branch = readLong(value, tenantId.next + tenantId.value);
  if (branch.value !== 1) return undefined;
  const callId = readLong(value, branch.next);
  if (callId.value <= 0 || callId.next + callId.value > value.length) return undefined;
  return value.toString('latin1', callId.next, callId.next + callId.value);
}

/** Reads the tenant of an encoded event without decoding it. Undefined if the record has another format. */
export function peekTenantId(value: Buffer): string | undefined {
  const eventId = readLong(value, WIRE_HEADER_BYTES);
  if (eventId.value < 0) return undefined;
  const tenantId = readLong(value, eventId.next + eventId.value);
  const end = tenantId.next + tenantId.value;
  return tenantId.value < 0 || end > value.length ? undefined : value.toString('utf8', tenantId.next, end);
}
