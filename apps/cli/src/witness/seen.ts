import { type Checkpoint, isConsistent, type NoteVerifier, openCheckpoint } from '@countersign/proofs';

/** A checkpoint as the log serves it. */
export type ServedCheckpoint = Pick<Checkpoint, 'size' | 'root'> & { note: string; text: string };

export type Judgement =
  | { kind: 'cosign'; checkpoint: ServedCheckpoint }
  | { kind: 'nothing_new' }
  /** The log contradicts what this witness has seen. */
  | { kind: 'contradiction'; reason: string };

/** What a log answers that is asked for consistency. */
export interface ServedConsistency {
  path: string[];
  checkpoint: string;
}

/** The checkpoint of a note that this log signed; undefined for anything else. */
export function opened(note: string, log: NoteVerifier): ServedCheckpoint | undefined {
  const checkpoint = openCheckpoint(note, log);
  return checkpoint && { size: checkpoint.size, root: checkpoint.root, note, text: checkpoint.note.text };
}

/** Whether a served checkpoint can follow the one that was seen last; `undefined` where a consistency proof is needed to tell. */
export function judgeAlone(seen: ServedCheckpoint | undefined, served: ServedCheckpoint): Judgement | undefined {
  if (!seen) return { kind: 'cosign', checkpoint: served };
  if (served.size < seen.size) {
    return { kind: 'contradiction', reason: `the log went back: it had ${seen.size} checkpoints and shows ${served.size}` };
  }
  if (served.size > seen.size) return undefined;
  if (served.root.equals(seen.root)) return { kind: 'nothing_new' };
  return { kind: 'contradiction', reason: `the log forked: it shows another root for checkpoint ${served.size}` };
}

/** The judgement by a consistency proof from what was seen to what is served. */
export function judgeByProof(seen: ServedCheckpoint, served: ServedCheckpoint | undefined, path: readonly string[]): Judgement {
  const nodes = path.map((text) => Buffer.from(text, 'base64'));
  if (served && isConsistent(seen, served, nodes)) return { kind: 'cosign', checkpoint: served };
  return { kind: 'contradiction', reason: `the log forked: checkpoint ${served?.size ?? '?'} does not continue checkpoint ${seen.size}` };
}
