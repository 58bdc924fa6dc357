import type { ClaimedKey } from '@countersign/contracts';
import { digest8 } from '@countersign/domain';
import * as sql from '@countersign/store';

/** Ends the transaction without a trace. */
class NotBoth extends Error {}

export type PairClaim = { kind: 'won'; attempt: number } | { kind: 'lost' } | { kind: 'second_taken' };

async function both(store: sql.Sql, epoch: number, own: sql.Claim, also: ClaimedKey): Promise<PairClaim> {
  const rows = await sql.rowsOfKeys(store, [also.idempotency_key]);
  const mine = rows.find((row) => row.call_uuid === own.call_uuid);
  if (mine) return (await isOwn(store, epoch, own)) ? { kind: 'won', attempt: mine.attempt } : { kind: 'lost' };
  const last = rows.at(-1);
  if (last && last.state !== sql.executionState.released) return { kind: 'second_taken' };
  const attempt = (last?.attempt ?? 0) + 1;
  const digest = digest8(also.discriminating_digest);
  const second = { ...own, key: also.idempotency_key, attempt, digest8: digest, approval_id: null };
  const [first, other] = await sql.claim(store, epoch, [own, second]);
  if (first && other) return { kind: 'won', attempt };
  throw new NotBoth();
}

/** Both rows are there already: the claim was made, and only its answer was lost. */
async function isOwn(store: sql.Sql, epoch: number, own: sql.Claim): Promise<boolean> {
  const rows = await sql.rowsOfKeys(store, [own.key]);
  return rows.some((row) => row.call_uuid === own.call_uuid && row.epoch === epoch && row.state === sql.executionState.running);
}

/** Claims the own key of a call and the key of its edited inputs in one transaction: both or neither. */
export async function claimPair(store: sql.Store, epoch: number, own: sql.Claim, also: ClaimedKey): Promise<PairClaim> {
  try {
    return await store.transaction((inside) => both(inside, epoch, own, also));
  } catch (error) {
    if (error instanceof NotBoth) return { kind: 'lost' };
    throw error;
  }
}
