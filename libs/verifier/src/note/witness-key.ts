import type { ProofCrypto } from '../crypto/proof-crypto.js';
import { COSIGNATURE_V1, type NoteVerifier, parseVkey } from './note-key.js';

/**
 * What a witness checks before it cosigns. `entries`: only that the tree of entries grew, as any C2SP witness does; the heads inside the
 * entries may contradict each other. `heads`: also that in every entry, in order, each tree only grew.
 */
export type WitnessChecks = 'heads' | 'entries';

/** A trusted witness. */
export interface Witness {
  key: NoteVerifier;
  checks: WitnessChecks;
  /** Cosignatures before this time (Unix seconds) count as `entries`: the key was used by a witness that did not check heads. */
  heads_since_s?: number;
}

const HEADS = 'heads:';

/** Parses a witness's key, written as `heads:<vkey>` if it checks heads; undefined if the text is not a witness key. */
export function parseWitness(crypto: ProofCrypto, text: string): Witness | undefined {
  const trimmed = text.trim();
  const isHeads = trimmed.startsWith(HEADS);
  const key = parseVkey(crypto, isHeads ? trimmed.slice(HEADS.length) : trimmed);
  return key?.type === COSIGNATURE_V1 ? { key, checks: isHeads ? 'heads' : 'entries' } : undefined;
}

/** What this witness checked for a cosignature at this time. */
export function checkedBy({ checks, heads_since_s = 0 }: Witness, time_s: number): WitnessChecks {
  return checks === 'heads' && time_s >= heads_since_s ? 'heads' : 'entries';
}
