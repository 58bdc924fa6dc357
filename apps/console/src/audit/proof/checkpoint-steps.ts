import { base64, type Checkpoint, checkedBy, cosignedAt, openCheckpoint, type SignedNote, type Trust } from '@countersign/verifier';
import { failed, open, proven, type Step } from './step.js';

export type OpenedCheckpoint = Checkpoint & { note: SignedNote };

const SIGNATURE = 'Signature of the checkpoint';
const WITNESSES = 'Witnesses';

/** What a cosignature shows, by what its witness checks. */
const SHOWS = {
  heads: 'had checked every entry and every changed tree',
  entries: 'had checked which entries were published, but not that the trees only grew',
} as const;

export const timeText = (ms: number): string =>
  Number.isFinite(ms) && Math.abs(ms) < 8e15 ? `${new Date(ms).toISOString().slice(0, 19)}Z` : 'an unknown time';

/** Opens a note with the key of the log: the checkpoint, and the step that shows it. */
export function openedWith(note: string, { log }: Trust): { opened: OpenedCheckpoint | undefined; step: Step } {
  const opened = openCheckpoint(note, log);
  if (!opened) return { opened, step: failed('checkpoint', SIGNATURE, `The checkpoint is not signed by this key (${log.name}).`) };
  const values = [
    ['Log', opened.origin],
    ['Size', String(opened.size)],
    ['Root', base64(opened.root)],
  ] as const;
  return {
    opened,
    step: proven('checkpoint', SIGNATURE, `The key signed checkpoint ${opened.size} and nothing else fits this signature.`, values),
  };
}

/** A cosignature of a witness that the auditor pinned. */
export interface Cosignature {
  name: string;
  checks: 'heads' | 'entries';
  time_ms: number;
}

/** Cosignatures of pinned witnesses under a note, and the names of those that are missing. */
export interface Cosignatures {
  found: readonly Cosignature[];
  missing: readonly string[];
}

export function cosignaturesOf({ note }: OpenedCheckpoint, { witnesses }: Trust): Cosignatures {
  const found: Cosignature[] = [];
  const missing: string[] = [];
  for (const witness of witnesses) {
    const time_s = cosignedAt(note, witness.key);
    if (time_s === undefined) missing.push(witness.key.name);
    else found.push({ name: witness.key.name, checks: checkedBy(witness, time_s), time_ms: time_s * 1000 });
  }
  return { found, missing };
}

/** @param is_needed missing cosignatures are a failure: the evidence was asked for under a cosigned checkpoint */
export function witnessStep({ found, missing }: Cosignatures, is_needed: boolean): Step {
  const values = found.map(({ name, checks, time_ms }) => [name, `${SHOWS[checks]}, at ${timeText(time_ms)}`] as const);
  if (found.length + missing.length === 0)
    return open('witnesses', WITNESSES, 'You pinned no witness: only the holder of the key of the log vouches for this checkpoint.');
  if (missing.length > 0) {
    const who = `Not cosigned by ${missing.join(' and ')}`;
    return is_needed
      ? failed('witnesses', WITNESSES, `${who}: you pinned it, so its cosignature is required.`, values)
      : open(
          'witnesses',
          WITNESSES,
          `${who} yet: this proof is under the newest checkpoint. Verify its call or case to use a cosigned one.`,
          values,
        );
  }
  const heads = found.some(({ checks }) => checks === 'heads');
  return heads
    ? proven('witnesses', WITNESSES, 'Cosigned by a witness that would have noticed a rewritten record.', values)
    : open('witnesses', WITNESSES, 'Cosigned, but by no witness that checks heads: a rewritten record may have gone unnoticed.', values);
}
