import * as verifier from '@countersign/verifier';
import { asBuffer } from '../bytes/as-buffer.js';
import type { NoteSigner } from './note-key.js';
import { signNote } from './signed-note.js';

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

/** The checkpoint in a note that this key signed under its own name; undefined otherwise. */
export function openCheckpoint(note: string, key: verifier.NoteVerifier): (Checkpoint & { note: verifier.SignedNote }) | undefined {
  const opened = verifier.openCheckpoint(note, key);
  return opened && { ...opened, root: asBuffer(opened.root) };
}
