import type { ResourceTouch } from './resource-row.js';

/** The `resource_generations` row of one name; zeros if it has none. */
export interface Generations {
  in_any: number;
  in_replaced: number;
  at_any: number;
  at_replaced: number;
}

const NONE: Generations = { in_any: 0, in_replaced: 0, at_any: 0, at_replaced: 0 };
const NAMES_MAX = 10_000;

/**
 * The generations that this process read last. A claim states what it expects and the database reports differences, so a stale entry
 * costs only a second statement. Bounded; the oldest entries are evicted first.
 */
export class SeenGenerations {
  private readonly byName = new Map<string, Generations>();
  private readonly contained = new Set<string>();

  of(resource: string): Generations {
    return this.byName.get(resource) ?? NONE;
  }

  /**
   * The generation on which the validity of a claim's result depends. Unused for a name that is replaced: there the claim's own
   * generation counts.
   */
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

  /** The names that this process has not yet marked as having names below them. They count as marked from now on. */
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
