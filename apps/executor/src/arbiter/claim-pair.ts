import type { ClaimedKey } from '@countersign/contracts';
import { digest8 } from '@countersign/domain';
import * as sql from '@countersign/store';

/** Rolls back the transaction. `claimed`: the result of the own claim. */
class NotBoth extends Error {
  constructor(readonly claimed: sql.ResourceClaimed) {
    super();
  }
}

/** `claimed`: only for a call with resources. */
export type PairClaim = { claimed?: sql.ResourceClaimed } & (
  | { kind: 'won'; attempt: number }
  | { kind: 'lost' }
  | { kind: 'second_taken' }
);

/** A call and the key of its edited inputs. */
export interface Pair {
  own: sql.ResourceClaim;
  secondary_key: ClaimedKey;
}

async function both(store: sql.Sql, epoch: number, { own, secondary_key }: Pair, terms: sql.ClaimTerms): Promise<PairClaim> {
  const rows = await sql.rowsOfKeys(store, [secondary_key.idempotency_key]);
  const mine = rows.find((row) => row.call_uuid === own.call_uuid);
  if (mine) return alreadyClaimed(store, epoch, own, mine.attempt);
  const last = rows.at(-1);
  if (last && last.state !== sql.executionState.released) return { kind: 'second_taken' };
  const attempt = (last?.attempt ?? 0) + 1;
  const digest = digest8(secondary_key.discriminating_digest);
  const { touches, settle_ms: _, forced: __, ...plain } = own;
  const second = { ...plain, key: secondary_key.idempotency_key, attempt, digest8: digest, approval_id: null };
  if (touches.length === 0) {
    const [first, other] = await sql.claim(store, epoch, [plain, second]);
    if (first && other) return { kind: 'won', attempt };
    throw new NotBoth({ kind: 'lost' });
  }
  const claimed = await sql.claimResourcesInside(store, epoch, own, terms);
  const [other] = claimed.kind === 'won' ? await sql.claim(store, epoch, [second]) : [false];
  if (claimed.kind !== 'won' || !other) throw new NotBoth(claimed.kind === 'won' ? { kind: 'lost' } : claimed);
  await sql.copyResources(store, { from: own, to: second });
  return { kind: 'won', attempt, claimed };
}

/** Both rows already exist: the claim succeeded, and only its response was lost. */
async function alreadyClaimed(store: sql.Sql, epoch: number, own: sql.Claim, attempt: number): Promise<PairClaim> {
  const rows = await sql.rowsOfKeys(store, [own.key]);
  const row = rows.find(
    ({ call_uuid, state, epoch: of }) => call_uuid === own.call_uuid && of === epoch && state === sql.executionState.running,
  );
  if (!row) return { kind: 'lost' };
  if (row.resources === null) return { kind: 'won', attempt };
  return {
    kind: 'won',
    attempt,
    claimed: { kind: 'won', resources: sql.claimedResources(row.resources), doubtful: false, acted_above: true },
  };
}

/** Claims the own key of a call and the key of its edited inputs in one transaction: both or neither. */
export async function claimPair(store: sql.Store, epoch: number, pair: Pair, terms: sql.ClaimTerms): Promise<PairClaim> {
  try {
    return await store.transaction((inside) => both(inside, epoch, pair, terms));
  } catch (error) {
    if (error instanceof NotBoth) return { kind: 'lost', claimed: error.claimed };
    throw error;
  }
}
