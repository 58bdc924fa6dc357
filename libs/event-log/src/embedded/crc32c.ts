const POLYNOMIAL = 0x82f63b78;
const tables = slicingTables();

/** Eight consecutive tables of 256 entries: table k advances a byte that is k bytes before the end of an 8-byte step. */
function slicingTables(): Int32Array {
  const result = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    result[byte] = crc;
  }
  for (let at = 256; at < result.length; at++) {
    const shorter = result[at - 256]!;
    result[at] = (shorter >>> 8) ^ result[shorter & 255]!;
  }
  return result;
}

/** CRC-32C (Castagnoli, RFC 3720) of bytes[start, end), as an unsigned 32-bit number. zlib's crc32 uses another polynomial. */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length): number {
  const t = tables;
  let crc = -1;
  let at = start;
  for (const last = end - 7; at < last; at += 8) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    crc =
      t[1792 + (crc & 255)]! ^
      t[1536 + ((crc >>> 8) & 255)]! ^
      t[1280 + ((crc >>> 16) & 255)]! ^
      t[1024 + (crc >>> 24)]! ^
      t[768 + bytes[at + 4]!]! ^
      t[512 + bytes[at + 5]!]! ^
      t[256 + bytes[at + 6]!]! ^
      t[bytes[at + 7]!]!;
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ t[(crc ^ bytes[at]!) & 255]!;
  return (crc ^ -1) >>> 0;
}
