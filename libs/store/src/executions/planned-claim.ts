import type { ClaimedResources } from '@countersign/contracts';
import type { Claim } from './claim.js';
import { type ResourceTouch, touchFlags } from './resource-row.js';
import type { SeenGenerations } from './seen-generations.js';

/** A claim of a write that names its resources. */
export interface ResourceClaim extends Claim {
  /** Sorted by resource; each occurs once. */
  touches: readonly ResourceTouch[];
  settle_ms: number;
  /** The previous settled attempt no longer answers, whatever happened to its resources (its window expired). */
  forced: boolean;
}

export interface PlannedTouch {
  resource: string;
  flags: number;
  /** The generation on which the validity of the result depends. */
  seen: number;
}

/** A claim with the resource values for its row, as far as this process knows them. */
export interface PlannedClaim {
  claim: ResourceClaim;
  generation: number;
  touched: readonly PlannedTouch[];
  /** `resources` of the claim's row. */
  text: string;
}

/** Starts at the clock, so that a generation whose row was lost does not get a number again that an old result depends on. */
function generationOf(touches: readonly ResourceTouch[], known: SeenGenerations, now_ms: number): number {
  let generation = now_ms;
  for (const { resource } of touches) {
    const { in_any, at_any } = known.of(resource);
    generation = Math.max(generation, in_any + 1, at_any + 1);
  }
  return generation;
}

export function planClaim(claim: ResourceClaim, known: SeenGenerations, now_ms: number): PlannedClaim {
  const generation = generationOf(claim.touches, known, now_ms);
  let text = `{"generation":${generation},"settle_ms":${claim.settle_ms},"touched":[`;
  const touched = claim.touches.map((touch, at) => {
    const flags = touchFlags(touch);
    const seen = touch.exact && touch.replaces ? generation : known.expected(touch);
    text += `${at === 0 ? '' : ','}["${touch.resource}",${flags},${seen}]`;
    return { resource: touch.resource, flags, seen };
  });
  return { claim, generation, touched, text: `${text}]}` };
}

/** The resources in the row of a claim that was made as planned. */
export function claimedAs({ claim, generation, touched }: PlannedClaim): ClaimedResources {
  return {
    generation,
    settle_ms: claim.settle_ms,
    touched: claim.touches.map(({ resource, exact, replaces }, at) => ({
      resource,
      exact,
      replaces,
      seen: touched[at]?.seen ?? generation,
    })),
  };
}
