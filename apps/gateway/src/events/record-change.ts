import type { ConfigurationEvent } from '@countersign/domain';
import type { EventKind } from './event-kinds.js';

/** Marks a change that every tenant may see. */
export const EVERY_TENANT = '*';

/** One thing that a record changed. */
export interface ChangedItem {
  kind: EventKind;
  id: string;
  /** The configuration event whose list decides who may see the item. */
  setting?: ConfigurationEvent;
  /** Only this user, and admins, may see the item. */
  owner?: string;
}

/** Items that a record changed without naming them: the views know them once they have folded the record. */
export type UnnamedItems = { cancelled_call: string } | { closing_saga: string; closed_at_ms: number };

/** What a record changed. */
export interface RecordChanges {
  tenant_id: string;
  items: ChangedItem[];
  unnamed?: UnnamedItems;
}
