import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { type SealedParts, sealedHead, sealedText } from '@countersign/contracts';

const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const INFO = 'countersign/personal/v1';

export interface LoadedKey {
  key_id: string;
  /** 32 bytes. */
  key: Buffer;
}

const contentKey = (keys: readonly Buffer[], nonce: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', Buffer.concat(keys), nonce, INFO, 32));

const aboutOf = (tenant_id: string, head: Buffer): Buffer => Buffer.concat([Buffer.from(`${tenant_id}\0`), head]);

const commitmentTo = (salted: Buffer): Buffer => createHash('sha256').update(salted).digest();

/**
 * Seals bytes under the keys of all their subjects together (AES-256-GCM under one key derived from all of them), so that destroying any
 * one of them is enough. The commitment is salted, and the salt is inside the ciphertext.
 */
export function sealBytes(tenant_id: string, keys: readonly LoadedKey[], bytes: Buffer): Omit<SealedParts, 'key_ids' | 'commitment'> {
  const salted = Buffer.concat([randomBytes(SALT_BYTES), bytes]);
  const head = sealedHead(
    keys.map(({ key_id }) => key_id),
    commitmentTo(salted),
  );
  const nonce = randomBytes(NONCE_BYTES);
  const content_key = contentKey(
    keys.map(({ key }) => key),
    nonce,
  );
  const cipher = createCipheriv('aes-256-gcm', content_key, nonce).setAAD(aboutOf(tenant_id, head));
  const ciphertext = Buffer.concat([cipher.update(salted), cipher.final()]);
  return { head, nonce, tag: cipher.getAuthTag(), ciphertext };
}

/** The text that replaces a JSON text. */
export function sealJson(tenant_id: string, keys: readonly LoadedKey[], json: string): string {
  return sealedText(sealBytes(tenant_id, keys, Buffer.from(json)));
}

/** Undefined if a key is destroyed or the bytes are not the sealed ones. */
export function openBytes(tenant_id: string, parts: SealedParts, keys: ReadonlyMap<string, Buffer>): Buffer | undefined {
  const found = parts.key_ids.map((id) => keys.get(id));
  if (found.some((key) => key === undefined)) return undefined;
  try {
    const content_key = contentKey(found as Buffer[], parts.nonce);
    const decipher = createDecipheriv('aes-256-gcm', content_key, parts.nonce).setAAD(aboutOf(tenant_id, parts.head));
    decipher.setAuthTag(parts.tag);
    const salted = Buffer.concat([decipher.update(parts.ciphertext), decipher.final()]);
    return timingSafeEqual(commitmentTo(salted), parts.commitment) ? salted.subarray(SALT_BYTES) : undefined;
  } catch {
    return undefined;
  }
}
