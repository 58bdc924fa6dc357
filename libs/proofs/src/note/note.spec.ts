import { cosignedAt, isSignedBy, parseNote } from '@countersign/verifier';
import { describe, expect, test } from 'vitest';
import { openCheckpoint, signCheckpoint } from './checkpoint.js';
import { cosign } from './cosignature.js';
import { COSIGNATURE_V1, noteSigner, parseVkey } from './note-key.js';
import { signNote } from './signed-note.js';

const signer = noteSigner('countersign.example/log', Buffer.alloc(32, 7));
const other = noteSigner('countersign.example/log', Buffer.alloc(32, 8));
const witness = noteSigner('witness.example', Buffer.alloc(32, 9), COSIGNATURE_V1);

describe('a signed note (C2SP signed-note)', () => {
  test('of the specification is accepted by its published key', () => {
    const vkey = parseVkey('PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW');
    const note = parseNote(
      "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n",
    );
    expect(vkey && note && isSignedBy(note, vkey)).toBe(true);
  });

  test('is accepted by its key only, and only with exactly its text', () => {
    const note = signNote('origin\n1\nroot\n', signer);
    const parsed = parseNote(note);
    expect(parsed && isSignedBy(parsed, signer.verifier)).toBe(true);
    expect(parsed && isSignedBy(parsed, other.verifier)).toBe(false);
    for (let at = 0; at < note.length; at++) {
      const edited = parseNote(`${note.slice(0, at)}${note[at] === 'A' ? 'B' : 'A'}${note.slice(at + 1)}`);
      expect(edited !== undefined && isSignedBy(edited, signer.verifier)).toBe(false);
    }
  });

  test('keys survive formatting and parsing, and damaged texts are refused', () => {
    expect(parseVkey(signer.verifier.vkey)?.key_hash).toBe(signer.verifier.key_hash);
    expect(parseVkey(witness.verifier.vkey)?.type).toBe(COSIGNATURE_V1);
    for (const bad of ['', 'a+b+c', signer.verifier.vkey.replace('countersign', 'counterfeit'), `${signer.verifier.vkey}AAAA`]) {
      expect(parseVkey(bad)).toBeUndefined();
    }
    expect(() => noteSigner('with space', Buffer.alloc(32))).toThrow(RangeError);
  });

  test.each(['', 'text\n', 'text\n\n', 'text\n\n— name\n', 'text\n\n— name AAAA\n', 'te\u0001xt\n\n— name AAAAAAAAAAA=\n'])(
    '%j is not one',
    (bad) => {
      expect(parseNote(bad)).toBeUndefined();
    },
  );
});

describe('a checkpoint (C2SP tlog-checkpoint)', () => {
  const root = Buffer.alloc(32, 1);

  test("opens for the key of its signer under that key's name", () => {
    const note = signCheckpoint({ size: 12, root }, signer);
    expect(openCheckpoint(note, signer.verifier)).toMatchObject({ origin: 'countersign.example/log', size: 12, root });
    expect(openCheckpoint(note, other.verifier)).toBeUndefined();
    expect(openCheckpoint(signNote(`elsewhere\n12\n${root.toString('base64')}\n`, signer), signer.verifier)).toBeUndefined();
    for (const size of ['-1', '01', '1.5', '1e3', '99999999999999999']) {
      expect(
        openCheckpoint(signNote(`countersign.example/log\n${size}\n${root.toString('base64')}\n`, signer), signer.verifier),
      ).toBeUndefined();
    }
  });

  test('can be cosigned by a witness, with a time (C2SP tlog-cosignature)', () => {
    const note = signCheckpoint({ size: 12, root }, signer);
    const text = parseNote(note)?.text as string;
    const cosigned = parseNote(note + cosign(text, 1_790_000_000, witness));
    expect(cosigned && cosignedAt(cosigned, witness.verifier)).toBe(1_790_000_000);
    expect(openCheckpoint(note + cosign(text, 1_790_000_000, witness), signer.verifier)?.size).toBe(12);
    const forged = parseNote(note + cosign(text.replace('12', '13'), 1_790_000_000, witness));
    expect(forged && cosignedAt(forged, witness.verifier)).toBeUndefined();
    expect(cosignedAt(parseNote(note) as never, witness.verifier)).toBeUndefined();
  });
});
