import { type BaseVersion, NO_RECORD_OFFSET } from '@countersign/contracts';
import type { PlacedEvent } from '../../call/evolve.js';
import { type ConfigurationEvent, type TouchedItem, touchedItems } from './items.js';

/** An item that no change ever set. */
export const NEVER_SET = -1;
const REMOVED_BASE = -2;
/** Event ids of applied changes that are remembered: an event that comes again within so many is the same change. */
const REPEATS_KNOWN = 10_000;

/**
 * `applied`: the change takes effect. `repeated`: the same event took effect before, and changes nothing now. `refused`:
 * something that it was checked against has changed since, and it changes nothing.
 */
export type ChangeVerdict = 'applied' | 'repeated' | 'refused';

/**
 * The versions of all items of the configuration, and what was refused: a fold of `configuration-changed` in offset order,
 * the same in every service. A version is the offset of the newest change, never a time.
 */
export interface ChangeLedger {
  /** Offset of the newest record in here; NO_RECORD_OFFSET if there is none. */
  offset: number;
  /** Tenant and item → version. */
  versions: Map<string, number>;
  /** event_id of applied changes that named what they are based on, the newest last. */
  recent: Set<string>;
  /** Offsets of the changes that were refused. */
  refused: Set<number>;
}

export function emptyLedger(): ChangeLedger {
  return { offset: NO_RECORD_OFFSET, versions: new Map(), recent: new Set(), refused: new Set() };
}

const keyOf = (tenant_id: string, item: string): string => (item.startsWith('/') ? item : `${tenant_id}/${item}`);

/** The version of an item; NEVER_SET where there was no change of it. */
export function versionOfItem(ledger: ChangeLedger, tenant_id: string, item: string): number {
  return ledger.versions.get(keyOf(tenant_id, item)) ?? NEVER_SET;
}

/** Whether a version is that of an existing item. */
export const isPresent = (version: number): boolean => version >= 0;

/** The items with the versions that they have now: what a change that is checked now is based on. */
export function baseOf(ledger: ChangeLedger, tenant_id: string, items: readonly string[]): BaseVersion[] {
  return items.map((item) => ({ item, version: versionOfItem(ledger, tenant_id, item) }));
}

/** Takes the next record of `configuration-changed` into the ledger, in place; a record that is already in it returns its earlier result. */
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
