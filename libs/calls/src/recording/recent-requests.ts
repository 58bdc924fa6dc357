import { LRUCache } from 'lru-cache';

const KEPT_MAX = 10_000;

/** Ids of the numbered calls that this gateway recorded recently and the view may lack. The oldest are forgotten first. */
export class RecentRequests {
  private readonly ids = new LRUCache<string, true>({ max: KEPT_MAX });

  has(callId: string): boolean {
    return this.ids.has(callId);
  }

  add(callId: string): void {
    this.ids.set(callId, true);
  }

  /** Call this if the request could not be recorded. */
  remove(callId: string): void {
    this.ids.delete(callId);
  }
}
