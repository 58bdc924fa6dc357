import { nobleCrypto } from '@countersign/verifier/crypto/noble-crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noteSigner } from '../note/note-key.js';
import { nodeCrypto } from './node-crypto.js';
import { describeProofCrypto } from './proof-crypto.suite.js';

describeProofCrypto('node:crypto', nodeCrypto);
describeProofCrypto('@noble', nobleCrypto);

test('both ports give the same answer for any signature, whole or changed', () => {
  const message = fc.uint8Array({ maxLength: 64 });
  const seed = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(seed, message, fc.nat(63), fc.nat(8), (key, text, at, bit) => {
      const { sign, verifier } = noteSigner('a', key);
      const public_key = Buffer.from(verifier.vkey.split('+').slice(2).join('+'), 'base64').subarray(1);
      const signature = sign(text);
      if (bit < 8) signature[at] = (signature[at] as number) ^ (1 << bit);
      const [node, noble] = [nodeCrypto, nobleCrypto].map((port) => port.ed25519(public_key)(text, signature));
      expect(noble).toBe(node);
      expect(Buffer.from(nobleCrypto.sha256(text)).equals(Buffer.from(nodeCrypto.sha256(text)))).toBe(true);
    }),
    { numRuns: 100 },
  );
});
