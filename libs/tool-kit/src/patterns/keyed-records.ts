import type { RunContext } from '../tool.js';

/** Storage of staged actions and tasks: one record for each idempotency key, whoever calls and however often. */
export interface KeyedRecords<T> {
  /** The record of this run's key or of the given key, or undefined. Changes nothing. */
  find(ctx: RunContext, key?: string): Promise<T | undefined>;
  /** Stores the record durably, unless one with this key exists: that one is then returned unchanged. */
  add(record: T, ctx: RunContext): Promise<T>;
  /** Deletes the record of a key. @returns whether there was one. */
  remove(ctx: RunContext, key: string): Promise<boolean>;
}
