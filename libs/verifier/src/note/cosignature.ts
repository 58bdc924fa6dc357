import { utf8 } from '../bytes/bytes.js';
import { COSIGNATURE_V1, type NoteVerifier } from './note-key.js';
import type { NoteSignature, SignedNote } from './signed-note.js';

const TIMESTAMP_BYTES = 8;

/** What a witness signs: the time (Unix seconds) and the text of the note (C2SP tlog-cosignature). */
export const cosignedMessage = (text: string, time_s: number): Uint8Array => utf8(`cosignature/v1\ntime ${time_s}\n${text}`);

function timeOf(text: string, { signature }: NoteSignature, verifier: NoteVerifier): number | undefined {
  if (signature.length !== TIMESTAMP_BYTES + 64) return undefined;
  const time_s = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0));
  return verifier.verifies(cosignedMessage(text, time_s), signature.subarray(TIMESTAMP_BYTES)) ? time_s : undefined;
}

/** When this witness cosigned the note, Unix seconds; undefined if it did not. */
export function cosignedAt(note: SignedNote, witness: NoteVerifier): number | undefined {
  if (witness.type !== COSIGNATURE_V1) return undefined;
  const own = note.signatures.filter(({ name, key_hash }) => name === witness.name && key_hash === witness.key_hash);
  return own.map((one) => timeOf(note.text, one, witness)).find((time) => time !== undefined);
}
