import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';

/** The signature types of C2SP signed-note that are used here. */
const ED25519 = 0x01;
export const COSIGNATURE_V1 = 0x04;
type SignatureType = typeof ED25519 | typeof COSIGNATURE_V1;

const KEY_BYTES = 32;
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const NAME = /^[^\s+]{1,200}$/u;

/** A public key for verifying notes: `<name>+<key hash in hex>+<base64 of type and key>` (C2SP signed-note). */
export interface NoteVerifier {
  name: string;
  type: SignatureType;
  /** First four bytes of SHA-256(name, line feed, type, public key), big-endian. */
  key_hash: number;
  vkey: string;
  verifies(message: Uint8Array, signature: Uint8Array): boolean;
}

export interface NoteSigner {
  verifier: NoteVerifier;
  sign(message: Uint8Array): Buffer;
}

function keyHash(name: string, typed: Uint8Array): number {
  return hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), typed]), 'buffer').readUInt32BE(0);
}

function verifierOf(name: string, type: SignatureType, raw: Buffer): NoteVerifier {
  const key: KeyObject = createPublicKey({ key: Buffer.concat([SPKI, raw]), format: 'der', type: 'spki' });
  const typed = Buffer.concat([Buffer.of(type), raw]);
  const key_hash = keyHash(name, typed);
  return {
    name,
    type,
    key_hash,
    vkey: `${name}+${key_hash.toString(16).padStart(8, '0')}+${typed.toString('base64')}`,
    verifies: (message, signature) => signature.length === 64 && verify(null, message, key, signature),
  };
}

/** Parses a vkey text; undefined if it is invalid or of an unsupported type. */
export function parseVkey(text: string): NoteVerifier | undefined {
  const [, name, hex, base64] = /^([^\s+]{1,200})\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/u.exec(text.trim()) ?? [];
  if (name === undefined || hex === undefined || base64 === undefined) return undefined;
  const typed = Buffer.from(base64, 'base64');
  const type = typed[0];
  if (typed.length !== KEY_BYTES + 1 || (type !== ED25519 && type !== COSIGNATURE_V1)) return undefined;
  const verifier = verifierOf(name, type, typed.subarray(1));
  return verifier.key_hash === Number.parseInt(hex, 16) ? verifier : undefined;
}

/** Creates an Ed25519 signer from its 32-byte seed. @throws RangeError if the name or the seed is invalid. */
export function noteSigner(name: string, seed: Uint8Array, type: SignatureType = ED25519): NoteSigner {
  if (!NAME.test(name)) throw new RangeError('a note key name has 1 to 200 characters, none of them white space or +');
  if (seed.length !== KEY_BYTES) throw new RangeError('a note key has a seed of 32 bytes');
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  const raw = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(SPKI.length);
  return { verifier: verifierOf(name, type, raw), sign: (message) => sign(null, message, key) };
}
