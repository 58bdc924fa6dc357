import { createHash } from 'node:crypto';
import { caseHash, caseStart } from '@countersign/verifier';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nodeHashing as hashing } from '../merkle/hashing.js';

const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest();
/** As docs/reference/proofs.md says it: SHA-256(0x00 || ...). */
const leafOf = (...parts: (string | Uint8Array)[]) =>
  sha256(Buffer.concat([Buffer.alloc(1), ...parts.map((part) => Buffer.from(part as string))]));
const aHash = fc.uint8Array({ minLength: 32, maxLength: 32 });

test('a case begins with the hash of its tenant and name, whatever characters they have', () => {
  const text = fc.string({ unit: 'binary', maxLength: 400 });
  fc.assert(
    fc.property(text, text, (tenant_id, case_id) => {
      expect(caseStart(hashing, tenant_id, case_id)).toEqual(leafOf(`countersign/case/v1\n${tenant_id}\n${case_id}`));
    }),
    { numRuns: 50 },
  );
});

test('a step hashes entry, cut, count, the hash before and the leaves in their order', () => {
  const number = fc.maxSafeNat();
  fc.assert(
    fc.property(aHash, number, number, fc.array(aHash, { maxLength: 60 }), (before, entry, cut, leaves) => {
      const head = `countersign/case-step/v1\n${entry}\n${cut}\n${leaves.length}\n`;
      expect(caseHash(hashing, before, { entry, cut }, leaves)).toEqual(leafOf(head, before, ...leaves));
    }),
  );
});

test('a step of very many records is hashed whole, and the next one after it too', () => {
  const before = new Uint8Array(32).fill(1);
  for (const count of [20_000, 3]) {
    const leaves = Array.from({ length: count }, (_, at) => new Uint8Array(32).fill(at % 251));
    const expected = leafOf(`countersign/case-step/v1\n7\n5\n${count}\n`, before, ...leaves);
    expect(caseHash(hashing, before, { entry: 7, cut: 5 }, leaves)).toEqual(expected);
  }
  expect(() => caseHash(hashing, before, { entry: 7, cut: 5 }, [new Uint8Array(31)])).toThrow('32 bytes');
});
