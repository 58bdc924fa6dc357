import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import * as verifier from '@countersign/verifier';
import { nodeCrypto, SPKI } from '../crypto/node-crypto.js';

export { COSIGNATURE_V1, type NoteVerifier } from '@countersign/verifier';

const KEY_BYTES = 32;
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const NAME = /^[^\s+]{1,200}$/u;

export interface NoteSigner {
  verifier: verifier.NoteVerifier;
  sign(message: Uint8Array): Buffer;
}

/** Parses a vkey text; undefined if it is invalid or of an unsupported type. */
export const parseVkey = (text: string): verifier.NoteVerifier | undefined => verifier.parseVkey(nodeCrypto, text);

/** Creates an Ed25519 signer from its 32-byte seed. @throws RangeError if the name or the seed is invalid. */
export function noteSigner(name: string, seed: Uint8Array, type: verifier.SignatureType = verifier.ED25519): NoteSigner {
  if (!NAME.test(name)) throw new RangeError('a note key name has 1 to 200 characters, none of them white space or +');
  if (seed.length !== KEY_BYTES) throw new RangeError('a note key has a seed of 32 bytes');
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  const raw = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(SPKI.length);
  return { verifier: verifier.verifierOf(nodeCrypto, name, type, raw), sign: (message) => sign(null, message, key) };
}
