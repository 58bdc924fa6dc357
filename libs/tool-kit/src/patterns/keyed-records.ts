import type { RunContext } from '../tool.js';

/** Where staged actions and tasks live: one record an idempotency key, whoever asks and however often. */
export interface KeyedRecords<T> {
  /** The record of this run's key or of the one that is named, or undefined. Changes nothing. */
  find(ctx: RunContext, key?: string): Promise<T | undefined>;
  /** Keeps the record durably, unless there is one of this key: then that one is answered and nothing changes. */
  add(record: T, ctx: RunContext): Promise<T>;
  /** Deletes the record of a key. @returns whether there was one. */
  remove(ctx: RunContext, key: string): Promise<boolean>;
}
