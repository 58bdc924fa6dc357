/** Prefix of an encrypted value, which replaces a text or a JSON value. The rest is base64url. */
export const SEALED = 'sealed:v1:';
/** Shown in place of an encrypted value after one of its keys was destroyed. */
export const ERASED = 'erased';
/** Maximum number of subjects of one encrypted value. */
export const SEALED_KEYS_MAX = 255;

const ID_BYTES = 16;
const COMMITMENT_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The parts of an encrypted value. All its keys are needed to decrypt it. */
export interface SealedParts {
  key_ids: readonly string[];
  /** Authenticated data besides the tenant: key ids and commitment. */
  head: Buffer;
  /** SHA-256 of salt and value; the salt is in the ciphertext. */
  commitment: Buffer;
  nonce: Buffer;
  tag: Buffer;
  ciphertext: Buffer;
}

export function sealedHead(key_ids: readonly string[], commitment: Buffer): Buffer {
  const ids = key_ids.map((id) => Buffer.from(id.replaceAll('-', ''), 'hex'));
  return Buffer.concat([Buffer.from([ids.length]), ...ids, commitment]);
}

/** The text form of an encrypted value. */
export function sealedText({ head, nonce, tag, ciphertext }: Pick<SealedParts, 'head' | 'nonce' | 'tag' | 'ciphertext'>): string {
  return SEALED + Buffer.concat([head, nonce, tag, ciphertext]).toString('base64url');
}

const uuid = (hex: string): string => `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;

/** Undefined if the text is not an encrypted value. */
export function sealedParts(text: string): SealedParts | undefined {
  if (!text.startsWith(SEALED)) return undefined;
  return sealedBytes(Buffer.from(text.slice(SEALED.length), 'base64url'));
}

/** Parses the decoded bytes of an encrypted value. */
export function sealedBytes(bytes: Buffer): SealedParts | undefined {
  const count = bytes[0] ?? 0;
  const head_bytes = 1 + count * ID_BYTES + COMMITMENT_BYTES;
  if (count === 0 || bytes.length < head_bytes + NONCE_BYTES + TAG_BYTES) return undefined;
  const key_ids = Array.from({ length: count }, (_, at) => uuid(bytes.toString('hex', 1 + at * ID_BYTES, 1 + (at + 1) * ID_BYTES)));
  const nonce_at = head_bytes;
  const tag_at = nonce_at + NONCE_BYTES;
  return {
    key_ids,
    head: bytes.subarray(0, head_bytes),
    commitment: bytes.subarray(head_bytes - COMMITMENT_BYTES, head_bytes),
    nonce: bytes.subarray(nonce_at, tag_at),
    tag: bytes.subarray(tag_at, tag_at + TAG_BYTES),
    ciphertext: bytes.subarray(tag_at + TAG_BYTES),
  };
}

const TOKEN = /sealed:v1:([A-Za-z0-9_-]+)/g;

/** The ids of all keys that the encrypted values in a text need. */
export function sealedKeyIds(text: string): Set<string> {
  const ids = new Set<string>();
  for (const [token] of text.matchAll(TOKEN)) for (const id of sealedParts(token)?.key_ids ?? []) ids.add(id);
  return ids;
}
