import { Store } from '@countersign/store';

/** A store as several processes see one Postgres: closing it in one leaves it to the others. */
export class SharedStore extends Store {
  readonly durable = true;
  constructor(private readonly store: Store) {
    super();
  }
  query: Store['query'] = (statement) => this.store.query(statement);
  atomically: Store['atomically'] = (statements, priority) => this.store.atomically(statements, priority);
  transaction: Store['transaction'] = (work) => this.store.transaction(work);
  close = async () => undefined;
}

/** A clock that can be stopped, as SIGSTOP stops a process: its lease runs out without it noticing. */
export class StoppedClock {
  private stopped_ms = 0;
  readonly now_ms = () => Date.now();
  readonly monotonic_ms = () => performance.now() + this.stopped_ms;
  jump(ms: number): void {
    this.stopped_ms += ms;
  }
}
