import {
  COSIGNATURE_V1,
  cosignedAt,
  ED25519,
  HASH_BYTES,
  isConsistent,
  isIncluded,
  isSignedBy,
  openTrusted,
  type ProofCrypto,
  parseNote,
  parseVkey,
  parseWitness,
  type RecordProof,
  strictBase64,
  traceRecord,
  treeHashing,
  verifierOf,
  verifyRecord,
} from '@countersign/verifier';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { consistencyProof, inclusionProof, rootOf, type SubtreeHash } from '../merkle/tree.js';
import { publishedVector } from '../testing/published-vector.js';
import { smallLog, smallLogSigner } from '../testing/small-log.js';

const hex = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex');
const unhex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));

/** NIST (FIPS 180-4 examples) and RFC 8032 section 7.1: key, message, signature. */
const DIGESTS = [
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq', '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1'],
] as const;
const SIGNATURES = [
  [
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
  [
    'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  ],
] as const;
/** The eight points of small order (both signs of x) and the three encodings of them that are not canonical. */
const SMALL_ORDER = [
  `01${'00'.repeat(31)}`,
  `${'00'.repeat(32)}`,
  `${'00'.repeat(31)}80`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
  `01${'00'.repeat(30)}80`,
];
const CT_LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];

/** What every implementation of the verifier's port must do: the published vectors, and random logs with random changes. */
export function describeProofCrypto(name: string, crypto: ProofCrypto): void {
  const hashing = treeHashing(crypto.sha256);

  describe(`the verifier's port on ${name}`, () => {
    test.each(DIGESTS)('has the digest that NIST publishes for %j', (text, digest) => {
      expect(hex(crypto.sha256(Buffer.from(text)))).toBe(digest);
    });

    test.each(SIGNATURES)('accepts the signature that RFC 8032 publishes for key %s, and no other', (key, message, signature) => {
      const verifies = crypto.ed25519(unhex(key));
      expect(verifies(unhex(message), unhex(signature))).toBe(true);
      expect(verifies(unhex(`${message}00`), unhex(signature))).toBe(false);
      for (let at = 0; at < 64; at++) {
        const changed = unhex(signature);
        changed[at] = (changed[at] as number) ^ (1 << (at % 8));
        expect(verifies(unhex(message), changed)).toBe(false);
      }
      expect(verifies(unhex(message), unhex(signature.slice(2)))).toBe(false);
      expect(verifies(unhex(message), new Uint8Array(0))).toBe(false);
    });

    test('refuses a second encoding of a signature, and keys that are no point of the curve', () => {
      const [key, message, signature] = SIGNATURES[1];
      expect(crypto.ed25519(unhex(key))(unhex(message), plusOrder(unhex(signature)))).toBe(false);
      for (const bad of ['00', 'ff'.repeat(32), '02'.padEnd(64, '0'), '']) {
        expect(crypto.ed25519(unhex(bad))(unhex(message), unhex(signature))).toBe(false);
      }
    });

    test('has the roots that Certificate Transparency publishes for its test leaves', async () => {
      const leaves = CT_LEAVES.map((text) => Buffer.from(hashing.leaf(unhex(text))));
      const roots = await Promise.all([1, 2, 3, 8].map((size) => rootOf(subtreesOn(crypto, leaves), size)));
      expect(roots.map(hex)).toEqual([
        '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
        'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
        'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
        '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
      ]);
      expect(hex(hashing.empty)).toBe(DIGESTS[0][1]);
    });

    test.each(SMALL_ORDER)('parses no key of small order, for which anybody can sign: %s', (hex) => {
      for (const type of [ED25519, COSIGNATURE_V1] as const) {
        const { vkey } = verifierOf(crypto, 'log.example', type, unhex(hex));
        expect(parseVkey(crypto, vkey)).toBeUndefined();
        expect(parseWitness(crypto, `heads:${vkey}`)).toBeUndefined();
      }
    });

    test('accepts the note of the C2SP specification by its key', () => {
      const key = parseVkey(crypto, 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW');
      const note = parseNote(
        "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n",
      );
      expect(key && note && isSignedBy(note, key)).toBe(true);
    });

    describePublished(crypto);
    describeRandom(crypto);
  });
}

function describePublished(crypto: ProofCrypto): void {
  const hashing = treeHashing(crypto.sha256);
  const { vkey, witness, record: shown, leaf, proof } = publishedVector();
  const record = { ...shown, value: strictBase64(shown.value) };
  const trust = { log: keyOf(crypto, vkey), witnesses: [{ key: keyOf(crypto, witness), checks: 'heads' as const }] };

  test('proves the record of docs/reference/proofs.md, step by step', () => {
    expect(verifyRecord(hashing, record, proof, trust)).toEqual({ kind: 'proven', checkpoint_size: 3, time_ms: 1_790_000_100_000 });
    const signed = openTrusted(proof.checkpoint, trust);
    if (typeof signed === 'string') throw new Error(signed);
    expect(signed.cosigned).toEqual([{ name: 'witness.example', checks: 'heads', time_s: 1_790_000_200 }]);
    const trace = traceRecord(hashing, record, proof, signed);
    expect(hex(trace.leaf)).toBe(leaf);
    expect(hex(trace.root)).toBe(hex(signed.root));
    expect(trace.failed).toBeUndefined();
  });

  test('refuses it after any change, and names the step', () => {
    const signed = openTrusted(proof.checkpoint, trust);
    if (typeof signed === 'string') throw new Error(signed);
    const step = (change: Partial<typeof record>, other: Partial<RecordProof> = {}) =>
      traceRecord(hashing, { ...record, ...change }, { ...proof, ...other }, signed).failed?.step;
    expect(step({ value: Buffer.from('value 5') })).toBe('entry_path');
    expect(step({ key: null })).toBe('entry_path');
    expect(step({ offset: 3 })).toBe('record_path');
    expect(step({}, { tree: { ...proof.tree, path: [] } })).toBe('record_path');
    expect(step({}, { head: { ...proof.head, path: [] } })).toBe('tree_path');
    expect(step({}, { entry: { ...proof.entry, number: 1 } })).toBe('last_entry');
    expect(step({}, { entry: { ...proof.entry, path: [] } })).toBe('entry_path');
  });

  test('refuses its checkpoint with any other character, key or witness', () => {
    const { checkpoint } = proof;
    for (let at = 0; at < checkpoint.length; at++) {
      const other = `${checkpoint.slice(0, at)}${checkpoint[at] === 'A' ? 'B' : 'A'}${checkpoint.slice(at + 1)}`;
      expect(openTrusted(other, trust)).toEqual(expect.stringMatching(/is not (co)?signed by/));
    }
    expect(cosignedAt(parseNote(checkpoint) as never, trust.log)).toBeUndefined();
    expect(openTrusted(checkpoint, { ...trust, log: { ...trust.log, verifies: () => false } })).toContain('is not signed by');
    expect(parseWitness(crypto, `heads:${witness}`)).toMatchObject({ checks: 'heads' });
    for (const bad of ['', 'a+b+c', vkey.replace('example', 'examples'), `${vkey}AAAA`, `${vkey.slice(0, -1)}=`]) {
      expect(parseVkey(crypto, bad)).toBeUndefined();
    }
  });
}

function describeRandom(crypto: ProofCrypto): void {
  const hashing = treeHashing(crypto.sha256);
  const trust = { log: keyOf(crypto, smallLogSigner.verifier.vkey), witnesses: [] };
  const sizes = fc.integer({ min: 1, max: 200 });

  test('proves every record of a random log, and no record with a changed byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), fc.nat(), fc.nat(), async (size, pick, at) => {
        const { records, proofOf } = await smallLog(size);
        const record = records[pick % size] as (typeof records)[number];
        const proof = await proofOf(record.offset);
        expect(verifyRecord(hashing, record, proof, trust).kind).toBe('proven');
        const value = Buffer.from(record.value);
        value[at % value.length] = (value[at % value.length] as number) ^ 1;
        expect(verifyRecord(hashing, { ...record, value }, proof, trust).kind).toBe('refused');
      }),
      { numRuns: 40 },
    );
  });

  test('proves inclusion and growth of random trees as RFC 9162 says, and refuses what is flipped, cut or lengthened', async () => {
    const leaves = Array.from({ length: 201 }, (_, n) => Buffer.from(hashing.leaf(Buffer.from(String(n)))));
    const subtrees = subtreesOn(crypto, leaves);
    await fc.assert(
      fc.asyncProperty(sizes, sizes, fc.nat(), async (a, b, pick) => {
        const [first, second] = [Math.min(a, b), Math.max(a, b)];
        const [older, newer] = [await treeAt(subtrees, first), await treeAt(subtrees, second)];
        const path = await consistencyProof(subtrees, first, second);
        expect(isConsistent(hashing, older, newer, path)).toBe(true);
        for (const wrong of changed(path, pick)) expect(isConsistent(hashing, older, newer, wrong)).toBe(false);
        const index = pick % second;
        const leaf = leaves[index] as Buffer;
        const to = await inclusionProof(subtrees, index, second);
        expect(isIncluded(hashing, leaf, index, newer, to)).toBe(true);
        for (const wrong of changed(to, pick)) expect(isIncluded(hashing, leaf, index, newer, wrong)).toBe(false);
      }),
      { numRuns: 100 },
    );
  });
}

const treeAt = async (subtrees: SubtreeHash, size: number) => ({ size, root: await rootOf(subtrees, size) });

/** Paths that prove nothing: one bit flipped, one hash less, one hash more, a hash of another length. */
function changed(path: readonly Buffer[], pick: number): Buffer[][] {
  const longer = [...path, Buffer.alloc(HASH_BYTES)];
  if (path.length === 0) return [longer];
  const flipped = path.map((hash) => Buffer.from(hash));
  const hash = flipped[pick % path.length] as Buffer;
  hash[pick % HASH_BYTES] = (hash[pick % HASH_BYTES] as number) ^ (1 << (pick % 8));
  return [longer, flipped, path.slice(0, -1), path.map((one, at) => (at === pick % path.length ? one.subarray(1) : one))];
}

/** Complete subtrees over these leaves, on the hashes of the port. */
function subtreesOn(crypto: ProofCrypto, leaves: readonly Buffer[]): SubtreeHash {
  const hashing = treeHashing(crypto.sha256);
  const known = new Map<string, Buffer>();
  const subtree: SubtreeHash = async (level, index) => {
    if (level === 0) return leaves[index] as Buffer;
    const name = `${level}/${index}`;
    const hash = known.get(name) ?? Buffer.from(hashing.node(await subtree(level - 1, 2 * index), await subtree(level - 1, 2 * index + 1)));
    known.set(name, hash);
    return hash;
  };
  return subtree;
}

function keyOf(crypto: ProofCrypto, vkey: string) {
  const key = parseVkey(crypto, vkey);
  if (!key) throw new Error(`${vkey} is not a key`);
  return key;
}

const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

/** The same signature with the order of the group added to S: a second encoding, which RFC 8032 refuses. */
function plusOrder(signature: Uint8Array): Uint8Array {
  const changed = new Uint8Array(signature);
  let s = ORDER;
  for (let at = 63; at >= 32; at--) s += BigInt(signature[at] as number) << BigInt(8 * (at - 32));
  for (let at = 32; at < 64; at++) changed[at] = Number((s >> BigInt(8 * (at - 32))) & 255n);
  return changed;
}
