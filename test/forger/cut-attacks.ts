import type { Cut } from '@countersign/proofs';
import type { Attack } from './attacks.js';
import type { Claim } from './history.js';
import type { Random } from './random.js';

/** Changes the cut of one entry, or of all from it on. Only the first entry of an honest log may have no cut. */
function forgeCuts(claims: readonly Claim[], random: Random, forge: (cut: Cut) => Cut | undefined, isOnce = false): Attack {
  const at = random.between(2, claims.length - 1);
  const isForged = (number: number) => (isOnce ? number === at : number >= at);
  return {
    at,
    seen_min: 0,
    claims: claims.map((claim, number) => (isForged(number) && claim.cut ? { ...claim, cut: forge(claim.cut) } : claim)),
  };
}

/** Attacks on the order that entries prove. */
export const cutAttacks: Readonly<Record<string, (claims: readonly Claim[], random: Random) => Attack>> = {
  'leave a cut out': (claims, random) => forgeCuts(claims, random, ({ number, state }) => ({ number: number + 1, state })),
  'sign a cut twice': (claims, random) => forgeCuts(claims, random, ({ number, state }) => ({ number: number - 1, state })),
  'sign an entry without a cut': (claims, random) => forgeCuts(claims, random, () => undefined, true),
  'go back to entries without cuts': (claims, random) => forgeCuts(claims, random, () => undefined),
  'give an open entry the cut before': (claims, random) =>
    forgeCuts(claims, random, ({ number }) => ({ number: number - 1, state: 'open' }), true),
};
