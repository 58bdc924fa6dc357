import { HASH_BYTES } from '../merkle/hashing.js';
import type { NoteSigner, NoteVerifier } from './note-key.js';
import { isSignedBy, parseNote, type SignedNote, signNote } from './signed-note.js';

/** The content of a checkpoint (C2SP tlog-checkpoint): the name of the log, and the size and root of its tree. */
export interface Checkpoint {
  origin: string;
  size: number;
  root: Buffer;
}

/** The signed note of a checkpoint (C2SP tlog-checkpoint). The origin is the signer's key name. */
export function signCheckpoint({ size, root }: Omit<Checkpoint, 'origin'>, signer: NoteSigner): string {
  return signNote(`${signer.verifier.name}\n${size}\n${root.toString('base64')}\n`, signer);
}

/** The checkpoint in a note, without checking signatures; undefined if the note is not a checkpoint. Allows extra lines, as specified. */
function checkpointIn({ text }: SignedNote): Checkpoint | undefined {
  const [origin, size, root] = text.split('\n');
  if (!origin || !size || !root || !/^(0|[1-9]\d{0,15})$/.test(size)) return undefined;
  const hash = Buffer.from(root, 'base64');
  if (hash.length !== HASH_BYTES || hash.toString('base64') !== root || !Number.isSafeInteger(Number(size))) return undefined;
  return { origin, size: Number(size), root: hash };
}

/** The checkpoint in a note that this key signed under its own name; undefined otherwise. */
export function openCheckpoint(note: string, verifier: NoteVerifier): (Checkpoint & { note: SignedNote }) | undefined {
  const parsed = parseNote(note);
  const checkpoint = parsed && checkpointIn(parsed);
  if (!parsed || !checkpoint || checkpoint.origin !== verifier.name || !isSignedBy(parsed, verifier)) return undefined;
  return { ...checkpoint, note: parsed };
}
