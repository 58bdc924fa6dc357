import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { ProofCrypto } from './proof-crypto.js';

/** The port on pure JavaScript, for browsers. WebCrypto is missing on pages that are served without TLS, and is asynchronous. */
export const nobleCrypto: ProofCrypto = {
  sha256: (data) => sha256(data),
  ed25519: (public_key) => (message, signature) => {
    if (signature.length !== 64) return false;
    try {
      // strict: the default of the library accepts encodings that RFC 8032 refuses
      return ed25519.verify(signature, message, public_key, { zip215: false });
    } catch {
      return false;
    }
  },
};
