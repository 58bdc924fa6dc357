import { sha256Hex } from '@countersign/contracts';
import {
  type ConfigurationState,
  evolveConfiguration,
  type FactTable,
  initialConfiguration,
  type PublishedBundle,
  type TenantConfiguration,
} from '@countersign/domain';
import type { Limit } from '@countersign/policy';
import type { ReadEvent } from '../read-event.js';
import { type Change, changesOf, changesRules, type FactChange } from './change.js';

/** The configuration folded up to a position. */
interface Cursor extends Place {
  state: ConfigurationState;
  changed: ConfigurationState | undefined;
}

/** A position: the number of folded records of each topic. */
export interface Place {
  settings: number;
  catalog: number;
}

const CURSORS_MAX = 5;

/** The configuration at any position, with the changes applied. Folds forward and caches a few positions. */
export class ConfigurationHistory {
  private readonly settings: readonly ReadEvent[];
  private readonly catalog: readonly ReadEvent[];
  private readonly cursors: Cursor[] = [];
  private readonly changed: ChangedConfiguration | undefined;

  /** `records`: configuration-changed and tool-registered, each in offset order. */
  constructor(
    readonly records: readonly ReadEvent[],
    tenant_id: string,
    changes: readonly Change[],
  ) {
    this.catalog = records.filter(({ event_type }) => event_type === 'tool_registered');
    this.settings = records.filter(({ event_type }) => event_type !== 'tool_registered');
    this.changed = changesRules(changes) ? new ChangedConfiguration(tenant_id, changes) : undefined;
  }

  /** The configuration of a ruling that names this offset and was made at this time. */
  at(config_offset: number, at_ms: number): ConfigurationState {
    return this.reached(this.placeOf(config_offset, at_ms));
  }

  /** The configuration at a time. */
  asOf(at_ms: number): ConfigurationState {
    return this.reached(this.placeAt(at_ms));
  }

  placeOf(config_offset: number, at_ms: number): Place {
    const settings = countUntil(this.settings, ({ offset }) => offset <= config_offset);
    return { settings, catalog: countUntil(this.catalog, ({ timestamp_ms }) => timestamp_ms <= at_ms) };
  }

  placeAt(at_ms: number): Place {
    const settings = countUntil(this.settings, ({ timestamp_ms }) => timestamp_ms <= at_ms);
    return { settings, catalog: countUntil(this.catalog, ({ timestamp_ms }) => timestamp_ms <= at_ms) };
  }

  /** Folds up to each of a few positions, one record per step, so that they are cached afterwards and every step is short. */
  *reach(places: readonly Place[]): Generator<void> {
    for (let round = 0; round < CURSORS_MAX; round++) {
      const missing = places.filter((place) => !this.isAtHand(place));
      if (missing.length === 0) return;
      for (const place of missing) yield* this.foldInSteps(place);
    }
  }

  private isAtHand({ settings, catalog }: Place): boolean {
    return this.cursors.some((cursor) => cursor.settings === settings && cursor.catalog === catalog);
  }

  private *foldInSteps({ settings, catalog }: Place): Generator<void> {
    const cursor = this.cursor({ settings, catalog });
    while (cursor.settings < settings || cursor.catalog < catalog) {
      if (cursor.catalog < catalog) this.advance(cursor, { settings: cursor.settings, catalog: cursor.catalog + 1 });
      else this.advance(cursor, { settings: cursor.settings + 1, catalog });
      yield;
    }
  }

  /** The configuration at a position. */
  reached(place: Place): ConfigurationState {
    const cursor = this.cursor(place);
    if (cursor.settings !== place.settings || cursor.catalog !== place.catalog) this.advance(cursor, place);
    if (!this.changed) return cursor.state;
    cursor.changed ??= this.changed.of(cursor.state);
    return cursor.changed;
  }

  private advance(cursor: Cursor, { settings, catalog }: Place): void {
    for (; cursor.catalog < catalog; cursor.catalog++) evolveConfiguration(cursor.state, this.catalog[cursor.catalog] as ReadEvent);
    for (; cursor.settings < settings; cursor.settings++) evolveConfiguration(cursor.state, this.settings[cursor.settings] as ReadEvent);
    cursor.changed = undefined;
  }

  private cursor({ settings, catalog }: Place): Cursor {
    const fitting = this.cursors.filter((one) => one.settings <= settings && one.catalog <= catalog);
    const known = fitting.sort((a, b) => b.settings - a.settings || b.catalog - a.catalog)[0];
    if (known) return known;
    const fresh: Cursor = { state: initialConfiguration(), settings: 0, catalog: 0, changed: undefined };
    if (this.cursors.length >= CURSORS_MAX) this.cursors.shift();
    this.cursors.push(fresh);
    return fresh;
  }
}

/** The number of records for which `holds` is true; they precede all others. */
function countUntil(records: readonly ReadEvent[], holds: (record: ReadEvent) => boolean): number {
  let low = 0;
  for (let high = records.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (holds(records[middle] as ReadEvent)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * A tenant's configuration with changed bundles, rows and limits. Lists and bundles keep their identity, so that they are compiled once.
 */
class ChangedConfiguration {
  private readonly limits = new WeakMap<readonly Limit[], readonly Limit[]>();
  private readonly none: readonly Limit[] = [];
  private readonly tables = new Map<FactChange, { before: FactTable | undefined; after: FactTable }>();
  private readonly bundle: PublishedBundle | null | undefined;

  constructor(
    private readonly tenant_id: string,
    private readonly changes: readonly Change[],
  ) {
    const policy = changesOf(changes, 'policy').at(-1);
    this.bundle = policy?.bundle
      ? { ...policy.bundle, simulation_digest: null, by: 'counterfactual', published_at_ms: 0, semantics: 2 }
      : policy
        ? null
        : undefined;
  }

  of(state: ConfigurationState): ConfigurationState {
    const part = state.by_tenant.get(this.tenant_id);
    if (!part) return state;
    const changed = { ...part, facts: this.facts(part), bundles: this.bundles(part), limits: this.limitsOf(part) };
    return { ...state, by_tenant: new Map(state.by_tenant).set(this.tenant_id, changed) };
  }

  private bundles({ bundles }: TenantConfiguration): TenantConfiguration['bundles'] {
    const { bundle } = this;
    if (bundle === undefined) return bundles;
    if (bundle === null) return { ...bundles, active: null, shadow: null };
    return { ...bundles, versions: new Map(bundles.versions).set(bundle.version, bundle), active: bundle.version, shadow: null };
  }

  private facts({ facts }: TenantConfiguration): TenantConfiguration['facts'] {
    const tables = new Map(facts.tables);
    for (const change of changesOf(this.changes, 'fact')) tables.set(change.table, this.table(tables.get(change.table), change));
    return { ...facts, tables };
  }

  /** Created once per state of a table: large tables are not copied at every step of the fold. */
  private table(before: FactTable | undefined, change: FactChange): FactTable {
    const known = this.tables.get(change);
    if (known && known.before === before) return known.after;
    const after = changedTable(before, change);
    this.tables.set(change, { before, after });
    return after;
  }

  private limitsOf({ limits }: TenantConfiguration): NonNullable<TenantConfiguration['limits']> {
    const active = limits?.active ?? this.none;
    let changed = this.limits.get(active);
    if (!changed) {
      const others = new Map(changesOf(this.changes, 'limit').map(({ limit }) => [limit.limit_id, limit]));
      const kept = active.filter(({ limit_id }) => !others.has(limit_id));
      changed = [...kept, ...[...others.values()].filter(({ removed }) => !removed)];
      this.limits.set(active, changed);
    }
    return { active: changed, versions: limits?.versions ?? new Map() };
  }
}

function changedTable(before: FactTable | undefined, { table, set, removed }: FactChange): FactTable {
  const rows = new Map([...(before?.rows ?? []), ...Object.entries(set)]);
  for (const key of removed) rows.delete(key);
  const version = before?.version ?? 0;
  return { table, version, rows, change_digest: sha256Hex(''), by: 'counterfactual', changed_at_ms: before?.changed_at_ms ?? 0 };
}
