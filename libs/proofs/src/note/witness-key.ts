import { COSIGNATURE_V1, type NoteVerifier, parseVkey } from './note-key.js';

/**
 * What a witness looks at before it cosigns. `entries`: that the tree of entries only grew, as any C2SP witness does; the
 * heads inside the entries may contradict each other. `heads`: also that in every entry, in order, each tree only grew.
 */
export type WitnessChecks = 'heads' | 'entries';

/** A trusted witness. */
export interface Witness {
  key: NoteVerifier;
  checks: WitnessChecks;
  /** Cosignatures of before (Unix seconds) count as `entries`: the key was used by a witness that did not check heads. */
  heads_since_s?: number;
}

const HEADS = 'heads:';

/** A witness's key, marked `heads:<vkey>` where it checks heads; undefined where the text is no key of a witness. */
export function parseWitness(text: string): Witness | undefined {
  const trimmed = text.trim();
  const isHeads = trimmed.startsWith(HEADS);
  const key = parseVkey(isHeads ? trimmed.slice(HEADS.length) : trimmed);
  return key?.type === COSIGNATURE_V1 ? { key, checks: isHeads ? 'heads' : 'entries' } : undefined;
}

/** What a cosignature of this witness at this time says. */
export function checkedBy({ checks, heads_since_s = 0 }: Witness, time_s: number): WitnessChecks {
  return checks === 'heads' && time_s >= heads_since_s ? 'heads' : 'entries';
}
