import type { SagaWork } from '../sagas/saga-work.js';

/** A command, and what to call once it is decided. */
export interface Waiting {
  work: SagaWork;
  done: () => void;
}

interface Queue {
  items: Waiting[];
  /** Index of the next item. */
  next: number;
}

/** Requests stay in the order of their log, because the first one without an answer is where a restart begins to read. */
const REQUESTS = Symbol('requests');

/**
 * The commands that wait for a round. Tenants take turns, command by command, so that none waits longer because another one has many. Those
 * of one tenant stay in their order.
 */
export class FairInbox {
  /** In the order of their turns. */
  private readonly queues = new Map<string | typeof REQUESTS, Queue>();

  get isEmpty(): boolean {
    return this.queues.size === 0;
  }

  push(waiting: Waiting): void {
    const { tenant_id, cause } = waiting.work;
    const name = cause ? REQUESTS : tenant_id;
    const queue = this.queues.get(name);
    if (queue) queue.items.push(waiting);
    else this.queues.set(name, { items: [waiting], next: 0 });
  }

  /** Up to `max` commands, one of each tenant in turn. */
  take(max: number): Waiting[] {
    const taken: Waiting[] = [];
    while (taken.length < max) {
      const [first] = this.queues;
      if (!first) break;
      const [name, queue] = first;
      taken.push(queue.items[queue.next++] as Waiting);
      this.queues.delete(name);
      if (queue.next < queue.items.length) this.queues.set(name, queue);
    }
    return taken;
  }
}
