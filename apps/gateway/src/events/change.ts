import type { ApprovalRow } from '@countersign/store';
import type { ChangedItem, RecordChanges } from './record-change.js';

/** A record that changed something a stream shows, and its place on the log. */
export interface ChangeRecord extends RecordChanges {
  event_type: string;
  at_ms: number;
  /** Sorts records of all partitions: causes before effects, and never against the order of a partition. */
  order: number;
  slot: number;
  topic: string;
  partition: number;
  offset: number;
}

/** One changed item, as streams send it. */
export interface Change extends ChangedItem {
  event_type: string;
  at_ms: number;
  slot: number;
  topic: string;
  partition: number;
  offset: number;
  /** Its number among the items of its record. */
  item: number;
  status?: string;
  case_id?: string;
  /** The approval, if a stream of the tenant shows approvals whole. */
  row?: ApprovalRow;
}
