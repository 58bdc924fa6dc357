import { COSIGNATURE_V1, type NoteSigner, type NoteVerifier } from './note-key.js';
import { type NoteSignature, type SignedNote, signatureLine } from './signed-note.js';

const TIMESTAMP_BYTES = 8;

const message = (text: string, time_s: number) => Buffer.from(`cosignature/v1\ntime ${time_s}\n${text}`);

/**
 * The signature line by which a witness states that at `time_s` it saw this checkpoint and no contradicting one (C2SP tlog-cosignature).
 */
export function cosign(text: string, time_s: number, { verifier, sign }: NoteSigner): string {
  const time = Buffer.alloc(TIMESTAMP_BYTES);
  time.writeBigUInt64BE(BigInt(time_s));
  const signature = Buffer.concat([time, sign(message(text, time_s))]);
  return signatureLine({ name: verifier.name, key_hash: verifier.key_hash, signature });
}

function timeOf(text: string, { signature }: NoteSignature, verifier: NoteVerifier): number | undefined {
  if (signature.length !== TIMESTAMP_BYTES + 64) return undefined;
  const time_s = Number(signature.readBigUInt64BE(0));
  return verifier.verifies(message(text, time_s), signature.subarray(TIMESTAMP_BYTES)) ? time_s : undefined;
}

/** When this witness cosigned the note, Unix seconds; undefined if it did not. */
export function cosignedAt(note: SignedNote, witness: NoteVerifier): number | undefined {
  if (witness.type !== COSIGNATURE_V1) return undefined;
  const own = note.signatures.filter(({ name, key_hash }) => name === witness.name && key_hash === witness.key_hash);
  return own.map((one) => timeOf(note.text, one, witness)).find((time) => time !== undefined);
}
