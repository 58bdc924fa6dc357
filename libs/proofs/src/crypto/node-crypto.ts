import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import type { ProofCrypto } from '@countersign/verifier';

export const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** The verifier's port on node:crypto, for the server and the command line. */
export const nodeCrypto: ProofCrypto = {
  sha256: (data) => hash('sha256', data, 'buffer'),
  ed25519(public_key) {
    const key = keyOf(public_key);
    return (message, signature) => key !== undefined && signature.length === 64 && verify(null, message, key, signature);
  },
};

function keyOf(public_key: Uint8Array): KeyObject | undefined {
  try {
    return createPublicKey({ key: Buffer.concat([SPKI, public_key]), format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}
