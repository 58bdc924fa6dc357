/** Smaller bodies are handled at once. */
export const LARGE_BODY_BYTES = 65_536;
/** After each large body the thread yields for this multiple of its processing time. */
const REST = 3;
const REST_MS_MAX = 100;

/**
 * Handles large bodies one at a time and fairly by tenant, with rests between: they use at most a quarter of the thread. The budget of
 * bytes in flight bounds the queue.
 */
export class LargeBodies {
  private readonly waiting = new Map<string, Set<() => void>>();
  private busy = false;

  /** Runs `handle` at once if the queue is idle; otherwise tenants take turns. @returns a function that removes it from the queue. */
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
    // Moves the tenant to the end of the queue: the next turn is another tenant's.
    this.waiting.delete(tenant_id);
    queue.delete(handle as () => void);
    if (queue.size > 0) this.waiting.set(tenant_id, queue);
    const began = performance.now();
    try {
      handle?.();
    } finally {
      // The promises of the handler run in the same turn of the event loop and count towards its cost.
      setImmediate(() => setTimeout(() => this.next(), Math.min(REST_MS_MAX, REST * (performance.now() - began))));
    }
  }
}
