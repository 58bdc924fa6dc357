import { openCheckpoint } from './checkpoint.js';
import { cosignedAt } from './cosignature.js';
import type { NoteVerifier } from './note-key.js';
import { checkedBy, type Witness, type WitnessChecks } from './witness-key.js';

/** The keys that a verifier trusts, and nothing else. */
export interface Trust {
  log: NoteVerifier;
  /** Every one of them must have cosigned the checkpoint. */
  witnesses: readonly Witness[];
}

/** A checkpoint with verified signatures. */
export interface TrustedCheckpoint<H extends Uint8Array = Uint8Array> {
  size: number;
  root: H;
  /** The trusted witnesses that cosigned it, with the time (Unix seconds) and what each had checked. */
  cosigned: { name: string; checks: WitnessChecks; time_s: number }[];
}

/** Opens the checkpoint of a note that the log and every required witness signed; else returns the reason. */
export function openTrusted(note: string, { log, witnesses }: Trust): TrustedCheckpoint | string {
  const signed = openCheckpoint(note, log);
  if (!signed) return `the checkpoint is not signed by ${log.name}`;
  const cosigned: TrustedCheckpoint['cosigned'] = [];
  for (const witness of witnesses) {
    const { name } = witness.key;
    const time_s = cosignedAt(signed.note, witness.key);
    if (time_s === undefined) return `the checkpoint is not cosigned by ${name}`;
    cosigned.push({ name, checks: checkedBy(witness, time_s), time_s });
  }
  return { size: signed.size, root: signed.root, cosigned };
}
