/** Smaller bodies are handled at once. */
export const LARGE_BODY_BYTES = 65_536;
/** After each large body the thread yields for this multiple of its processing time. */
const REST = 3;
const REST_MS_MAX = 100;

/**
 * Handles large bodies one after another and fair by tenant, with rests between: reading them takes at most a quarter of the thread.
 * What waits here is bounded by the bytes that may be in flight.
 */
export class LargeBodies {
  private readonly waiting = new Map<string, Set<() => void>>();
  private busy = false;

  /** Runs `handle`, at once where nothing else is handled; requests of one tenant take turns with the others as one. @returns takes it back. */
  take(tenant_id: string, handle: () => void): () => void {
    const queue = this.waiting.get(tenant_id) ?? new Set();
    this.waiting.set(tenant_id, queue.add(handle));
    if (!this.busy) this.next();
    return () => this.takeBack(tenant_id, handle);
  }

  get size(): number {
    return [...this.waiting.values()].reduce((sum, queue) => sum + queue.size, 0);
  }

  private takeBack(tenant_id: string, handle: () => void): void {
    const queue = this.waiting.get(tenant_id);
    if (queue?.delete(handle) && queue.size === 0) this.waiting.delete(tenant_id);
  }

  private next(): void {
    const [first] = this.waiting;
    this.busy = first !== undefined;
    if (!first) return;
    const [tenant_id, queue] = first;
    const [handle] = queue as Set<() => void>;
    // Behind all others: the next turn is another tenant's.
    this.waiting.delete(tenant_id);
    queue.delete(handle as () => void);
    if (queue.size > 0) this.waiting.set(tenant_id, queue);
    const began = performance.now();
    try {
      handle?.();
    } finally {
      // What follows in the same turn of the loop (promises of the handler) belongs to its cost.
      setImmediate(() => setTimeout(() => this.next(), Math.min(REST_MS_MAX, REST * (performance.now() - began))));
    }
  }
}
