const OFFSET_BYTES = 8;

/** A wake-up's payload: the offset of a record on `tool-executed` and its bytes, so that an early response can be read again. */
export function encodeHint(offset: number, value: Buffer): Buffer {
  const head = Buffer.allocUnsafe(OFFSET_BYTES);
  head.writeBigUInt64BE(BigInt(offset));
  return Buffer.concat([head, value]);
}

/** Undefined for an invalid payload: anyone may publish on a shared Redis. */
export function decodeHint(payload: Buffer): { offset: number; value: Buffer } | undefined {
  if (payload.length <= OFFSET_BYTES) return undefined;
  const offset = Number(payload.readBigUInt64BE());
  return Number.isSafeInteger(offset) ? { offset, value: payload.subarray(OFFSET_BYTES) } : undefined;
}
