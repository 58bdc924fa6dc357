import { equalBytes } from '../bytes/bytes.js';

const KEY_BYTES = 32;
const LAST = KEY_BYTES - 1;

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../gu) ?? [], (byte) => Number.parseInt(byte, 16));

/** The y coordinates of the points of order 1, 2, 4 and 8 (little-endian, without the sign of x), and the same plus the prime of the field. */
const SMALL = [
  `${'00'.repeat(KEY_BYTES)}`,
  `01${'00'.repeat(LAST)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(LAST - 1)}7f`,
  `ed${'ff'.repeat(LAST - 1)}7f`,
  `ee${'ff'.repeat(LAST - 1)}7f`,
].map(bytesOf);

/** True for an Ed25519 public key of small order: OpenSSL accepts signatures of any message under it, without any private key. */
export function isSmallOrder(public_key: Uint8Array): boolean {
  const y = new Uint8Array(public_key);
  y[LAST] = (y[LAST] as number) & 0x7f;
  return SMALL.some((small) => equalBytes(small, y));
}
