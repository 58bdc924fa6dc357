import type { ResourceTouch } from './resource-row.js';

/** What `resource_generations` says of one name; zeros where it has no row. */
export interface Generations {
  in_any: number;
  in_replaced: number;
  at_any: number;
  at_replaced: number;
}

const NONE: Generations = { in_any: 0, in_replaced: 0, at_any: 0, at_replaced: 0 };
const NAMES_MAX = 10_000;

/**
 * What this process read last of names that were acted on. A claim says what it expects and the database says where it is wrong, so a
 * stale entry costs a second statement and nothing else. Bounded; the oldest entries go first.
 */
export class SeenGenerations {
  private readonly byName = new Map<string, Generations>();
  private readonly contained = new Set<string>();

  of(resource: string): Generations {
    return this.byName.get(resource) ?? NONE;
  }

  /** The generation that the answer of a claim depends on. Not needed for a name that is replaced: that is the claim's own. */
  expected({ resource, exact, replaces }: ResourceTouch): number {
    const known = this.of(resource);
    if (exact) return known.in_replaced;
    return replaces ? known.at_any : known.at_replaced;
  }

  learn(resource: string, generations: Generations): void {
    this.byName.delete(resource);
    this.byName.set(resource, generations);
    dropOldest(this.byName);
  }

  /** Those of the names that this process did not yet mark as having names below them. They are taken as marked from now on. */
  toContain(resources: Iterable<string>): string[] {
    const open: string[] = [];
    for (const resource of resources) {
      if (this.contained.has(resource)) continue;
      this.contained.add(resource);
      dropOldest(this.contained);
      open.push(resource);
    }
    return open;
  }
}

function dropOldest(names: Map<string, Generations> | Set<string>): void {
  if (names.size > NAMES_MAX) names.delete(names.keys().next().value as string);
}
