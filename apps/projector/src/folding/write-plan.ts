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

/** The views were folded by a newer build of the product, whose rows this one would undo. */
export class NewerViews extends Error {}

/** Which rows a fold writes, into which tables, and what makes the write fail once that is no longer so. */
export interface WritePlan {
  /** Changes when a build takes the place of another. */
  number: number;
  /** Whose offsets are stored with the rows. */
  group: string;
  /** Where the states of calls are that were written before. */
  states: BoundTables;
  tables: BoundTables;
  /** Rows of others are folded and dropped. */
  projections: ReadonlySet<string>;
  /** First statement of every write. */
  held: Statement;
}

/** @throws NewerViews where readers see rows of a newer version than one of these. */
export function refuseNewer(live: readonly Build[], projections: readonly Projection[]): void {
  for (const { set } of projections) {
    const newer = live.find(({ projection, version }) => projection === set.name && version > set.version);
    if (newer) throw new NewerViews(`${set.name} has version ${newer.version}, this process has ${set.version}: run the newer release`);
  }
}

/** The plan of the group that writes what readers see. */
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
