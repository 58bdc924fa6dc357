import { type BaseVersion, NO_RECORD_OFFSET } from '@countersign/contracts';
import type { PlacedEvent } from '../../call/evolve.js';
import { type ConfigurationEvent, type TouchedItem, touchedItems } from './items.js';

/** The version of an item that was never set. */
export const NEVER_SET = -1;
const REMOVED_BASE = -2;
/** Event ids of applied changes that are remembered: a repeated event within so many changes is recognized. */
const REPEATS_KNOWN = 10_000;

/**
 * `applied`: the change takes effect. `repeated`: the same event took effect before, so it changes nothing now. `refused`: an item that the
 * change is based on has changed since, so it changes nothing.
 */
export type ChangeVerdict = 'applied' | 'repeated' | 'refused';

/**
 * The versions of all configuration items and the refused changes, folded from `configuration-changed` in offset order: the same in every
 * service. A version is the offset of the newest change, never a time.
 */
export interface ChangeLedger {
  /** Offset of the newest folded record; NO_RECORD_OFFSET if there is none. */
  offset: number;
  /** Tenant and item → version. */
  versions: Map<string, number>;
  /** event_id of applied changes with base versions, newest last. */
  recent: Set<string>;
  /** Offsets of refused changes. */
  refused: Set<number>;
}

export function emptyLedger(): ChangeLedger {
  return { offset: NO_RECORD_OFFSET, versions: new Map(), recent: new Set(), refused: new Set() };
}

const keyOf = (tenant_id: string, item: string): string => (item.startsWith('/') ? item : `${tenant_id}/${item}`);

/** The version of an item; NEVER_SET if no change ever set it. */
export function versionOfItem(ledger: ChangeLedger, tenant_id: string, item: string): number {
  return ledger.versions.get(keyOf(tenant_id, item)) ?? NEVER_SET;
}

/** True if the version belongs to an existing item. */
export const isPresent = (version: number): boolean => version >= 0;

/** The items with their current versions: the base of a change that is checked now. */
export function baseOf(ledger: ChangeLedger, tenant_id: string, items: readonly string[]): BaseVersion[] {
  return items.map((item) => ({ item, version: versionOfItem(ledger, tenant_id, item) }));
}

/**
 * Folds the next record of `configuration-changed` into the ledger, in place. A record that was already folded returns its earlier verdict.
 */
export function judgeChange(ledger: ChangeLedger, at: PlacedEvent): ChangeVerdict {
  if (at.offset <= ledger.offset) return ledger.refused.has(at.offset) ? 'refused' : 'repeated';
  ledger.offset = at.offset;
  const { meta, based_on = [] } = at.event as { meta: { tenant_id: string; event_id: string }; based_on?: BaseVersion[] };
  if (based_on.length > 0) {
    if (ledger.recent.has(meta.event_id)) return 'repeated';
    if (based_on.some(({ item, version }) => versionOfItem(ledger, meta.tenant_id, item) !== version)) {
      ledger.refused.add(at.offset);
      return 'refused';
    }
    remember(ledger, meta.event_id);
  }
  const touched = touchedItems[at.event_type as ConfigurationEvent] as ((event: unknown) => TouchedItem[]) | undefined;
  for (const one of touched?.(at.event) ?? []) note(ledger, meta.tenant_id, one, at.offset);
  return 'applied';
}

function remember({ recent }: ChangeLedger, event_id: string): void {
  recent.add(event_id);
  if (recent.size > REPEATS_KNOWN) recent.delete(recent.values().next().value as string);
}

function note(ledger: ChangeLedger, tenant_id: string, { item, removed = false, member_of }: TouchedItem, offset: number): void {
  const was_present = isPresent(versionOfItem(ledger, tenant_id, item));
  if (member_of !== undefined && was_present === removed) ledger.versions.set(keyOf(tenant_id, member_of), offset);
  ledger.versions.set(keyOf(tenant_id, item), removed ? REMOVED_BASE - offset : offset);
}
