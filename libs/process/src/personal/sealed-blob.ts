import { sealedBytes } from '@countersign/contracts';
import type { CallSeal } from './call-seal.js';
import type { Personal } from './personal.js';

/** Prefix of a sealed blob; no JSON, text or image begins with it. */
const MAGIC = Buffer.from('\0countersign sealed v1\0');

/** The stored bytes of a blob of a sealed call. */
export function sealedBlob(seal: CallSeal, bytes: Uint8Array): Buffer {
  const { head, nonce, tag, ciphertext } = seal.bytes(Buffer.from(bytes));
  return Buffer.concat([MAGIC, head, nonce, tag, ciphertext]);
}

/** Whether the bytes are a sealed blob. */
export const isSealedBlob = (bytes: Buffer): boolean => bytes.subarray(0, MAGIC.length).equals(MAGIC);

/** A blob as its readers may see it. */
export async function openedBlob(personal: Personal | undefined, tenant_id: string, bytes: Buffer): Promise<Buffer | 'erased'> {
  if (!personal || !isSealedBlob(bytes)) return bytes;
  const parts = sealedBytes(bytes.subarray(MAGIC.length));
  return (parts && (await personal.bytes(tenant_id, parts))) ?? 'erased';
}
