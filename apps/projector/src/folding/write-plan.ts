import {
  type BoundTables,
  type Build,
  heldBy,
  type Ownership,
  type Plan,
  type Statement,
  stableTables,
  tablesOf,
  VIEWS,
  viewSets,
} from '@countersign/store';
import type { Projection } from '../projections/projection.js';

/** A newer build of the product wrote the views; this one would overwrite its rows. */
export class NewerViews extends Error {}

/** Which rows a fold writes into which tables, and the check that fails the write once this plan is no longer current. */
export interface WritePlan {
  /** Changes when another build becomes live. */
  number: number;
  /** The group whose offsets are stored with the rows. */
  group: string;
  /** Tables with the call states that were written before. */
  states: BoundTables;
  tables: BoundTables;
  /** Rows of other projections are folded and dropped. */
  projections: ReadonlySet<string>;
  /** First statement of every write: fails the write once the plan is no longer current. */
  held: Statement;
}

/** @throws NewerViews if readers see rows of a newer version than one of these. */
export function refuseNewer(live: readonly Build[], projections: readonly Projection[]): void {
  for (const { set } of projections) {
    const newer = live.find(({ projection, version }) => projection === set.name && version > set.version);
    if (newer) throw new NewerViews(`${set.name} has version ${newer.version}, this process has ${set.version}: run the newer release`);
  }
}

/** The plan of the group that writes the live tables. */
export function livePlan({ number, live }: Plan, own: Ownership, projections: readonly Projection[]): WritePlan {
  refuseNewer(live, projections);
  return {
    number,
    group: VIEWS,
    // By the stable name: the table of a replaced plan is dropped.
    states: stableTables(['calls']),
    tables: tablesOf(live, viewSets),
    projections: new Set(live.map(({ projection }) => projection)),
    held: heldBy(own, number),
  };
}
