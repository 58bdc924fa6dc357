import { base64, strictBase64 } from '../bytes/base64.js';
import { concatBytes, uint32, utf8 } from '../bytes/bytes.js';
import type { ProofCrypto } from '../crypto/proof-crypto.js';
import { isSmallOrder } from './small-order.js';

/** The signature types of C2SP signed-note that are used here. */
export const ED25519 = 0x01;
export const COSIGNATURE_V1 = 0x04;
export type SignatureType = typeof ED25519 | typeof COSIGNATURE_V1;

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** A public key for verifying notes: `<name>+<key hash in hex>+<base64 of type and key>` (C2SP signed-note). */
export interface NoteVerifier {
  name: string;
  type: SignatureType;
  /** First four bytes of SHA-256(name, line feed, type, public key), big-endian. */
  key_hash: number;
  vkey: string;
  verifies(message: Uint8Array, signature: Uint8Array): boolean;
}

/** The verifier for a raw public key of 32 bytes. */
export function verifierOf(crypto: ProofCrypto, name: string, type: SignatureType, public_key: Uint8Array): NoteVerifier {
  const typed = concatBytes(Uint8Array.of(type), public_key);
  const key_hash = uint32(crypto.sha256(concatBytes(utf8(`${name}\n`), typed)));
  const verifies = crypto.ed25519(public_key);
  return {
    name,
    type,
    key_hash,
    vkey: `${name}+${key_hash.toString(16).padStart(8, '0')}+${base64(typed)}`,
    verifies: (message, signature) => signature.length === SIGNATURE_BYTES && verifies(message, signature),
  };
}

/** Parses a vkey text; undefined if it is invalid, of an unsupported type, or a key that anybody can sign for. */
export function parseVkey(crypto: ProofCrypto, text: string): NoteVerifier | undefined {
  const [, name, hex, key] = /^([^\s+]{1,200})\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/u.exec(text.trim()) ?? [];
  if (name === undefined || hex === undefined || key === undefined) return undefined;
  const typed = strictBase64(key);
  const type = typed[0];
  if (typed.length !== KEY_BYTES + 1 || (type !== ED25519 && type !== COSIGNATURE_V1)) return undefined;
  if (isSmallOrder(typed.subarray(1))) return undefined;
  const verifier = verifierOf(crypto, name, type, typed.subarray(1));
  return verifier.key_hash === Number.parseInt(hex, 16) ? verifier : undefined;
}
