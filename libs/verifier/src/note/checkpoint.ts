import { strictBase64 } from '../bytes/base64.js';
import { HASH_BYTES } from '../merkle/tree-hashing.js';
import type { NoteVerifier } from './note-key.js';
import { isSignedBy, parseNote, type SignedNote } from './signed-note.js';

/** The content of a checkpoint (C2SP tlog-checkpoint): the name of the log, and the size and root of its tree. */
export interface Checkpoint {
  origin: string;
  size: number;
  root: Uint8Array;
}

/** The checkpoint in a note, without checking signatures; undefined if the note is not a checkpoint. Allows extra lines, as specified. */
export function checkpointIn({ text }: SignedNote): Checkpoint | undefined {
  const [origin, size, root] = text.split('\n');
  if (!origin || !size || !root || !/^(0|[1-9]\d{0,15})$/.test(size) || !Number.isSafeInteger(Number(size))) return undefined;
  const hash = rootOf(root);
  return hash && { origin, size: Number(size), root: hash };
}

function rootOf(text: string): Uint8Array | undefined {
  try {
    const hash = strictBase64(text);
    return hash.length === HASH_BYTES ? hash : undefined;
  } catch {
    return undefined;
  }
}

/** The checkpoint in a note that this key signed under its own name; undefined otherwise. */
export function openCheckpoint(note: string, verifier: NoteVerifier): (Checkpoint & { note: SignedNote }) | undefined {
  const parsed = parseNote(note);
  const checkpoint = parsed && checkpointIn(parsed);
  if (!parsed || !checkpoint || checkpoint.origin !== verifier.name || !isSignedBy(parsed, verifier)) return undefined;
  return { ...checkpoint, note: parsed };
}
