interface Entry<T> {
  at_ms: number;
  /** Order among entries of the same time. */
  order: number;
  serial: number;
  item: T;
}

const isBefore = <T>(a: Entry<T>, b: Entry<T>): boolean =>
  a.at_ms !== b.at_ms ? a.at_ms < b.at_ms : a.order !== b.order ? a.order < b.order : a.serial < b.serial;

/** A priority queue (binary heap) of future items: by time, then by the given order, then by insertion. */
export class Timeline<T> {
  private readonly heap: Entry<T>[] = [];
  private serial = 0;

  get size(): number {
    return this.heap.length;
  }

  add(at_ms: number, order: number, item: T): void {
    const { heap } = this;
    heap.push({ at_ms, order, serial: this.serial++, item });
    for (let at = heap.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.swapIfBefore(at, parent)) return;
      at = parent;
    }
  }

  next(): { at_ms: number; item: T } | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    heap[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const child = right < heap.length && isBefore(heap[right] as Entry<T>, heap[left] as Entry<T>) ? right : left;
      if (child >= heap.length || !this.swapIfBefore(child, at)) return first;
      at = child;
    }
  }

  private swapIfBefore(a: number, b: number): boolean {
    const { heap } = this;
    const [one, other] = [heap[a] as Entry<T>, heap[b] as Entry<T>];
    if (!isBefore(one, other)) return false;
    heap[a] = other;
    heap[b] = one;
    return true;
  }
}
