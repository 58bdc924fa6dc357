import { Refusal } from '@countersign/calls';
import type { CosignedNotes } from '@countersign/evidence';
import type { Cosigned } from './audit-queries.schemas.js';

const NO_HEADS_WITNESS =
  'no configured witness checks heads, so no checkpoint counts as cosigned: run `countersign witness` and set its key in COUNTERSIGN_AUDIT_WITNESSES as heads:<vkey>';
const NO_WITNESSES =
  'this installation has no witnesses, so no checkpoint is cosigned: omit cosigned=true, or set COUNTERSIGN_AUDIT_WITNESSES to the keys of the witnesses';

const neverCosigned = (code: string, message: string): Refusal =>
  new Refusal('conflict', message, { reason: 'not_cosigned', issues: [{ path: '/cosigned', code, message }] });

export const notCovered = (): Refusal =>
  new Refusal('unavailable', 'no checkpoint covers the record yet: retry in a second', { reason: 'checkpoint_pending' });

/** Timestamps are optional, and requested at intervals. */
export const notTimestamped = (): Refusal =>
  new Refusal(
    'not-found',
    'no timestamp covers this checkpoint: retry after the next one, or set COUNTERSIGN_TIMESTAMP_URL if this installation has none',
    { reason: 'timestamp_not_found' },
  );

/** The log, the tiles and the signed heads do not agree: `detail` says what is wrong. The request is sound, so it is no fault of the server's code. */
export const notProven = (detail: string): Refusal => new Refusal('conflict', detail, { reason: 'proof_broken' });

/** Why a request that requires a cosigned checkpoint cannot have one; undefined if it can, or requires none. */
export async function cosignedFault(
  notes: Pick<CosignedNotes, 'asks' | 'checksHeads' | 'newest'>,
  cosigned: Cosigned,
): Promise<Refusal | undefined> {
  if (cosigned !== 'true') return undefined;
  if (!notes.asks) return neverCosigned('no_witnesses', NO_WITNESSES);
  if (!notes.checksHeads) return neverCosigned('no_heads_witness', NO_HEADS_WITNESS);
  if (await notes.newest()) return undefined;
  return new Refusal('unavailable', 'not all witnesses have cosigned a checkpoint yet: retry later', {
    reason: 'cosignature_pending',
  });
}
