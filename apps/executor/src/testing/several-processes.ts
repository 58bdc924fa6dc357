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

/** A store whose answers about leases can be held back, as those of a busy one are. */
export class SlowLeases extends Store {
  /** Heartbeats that were sent. */
  queries = 0;
  private held: Promise<void> | undefined;

  constructor(
    private readonly store: Store,
    readonly durable: boolean,
  ) {
    super();
  }

  /** @returns what lets the answers through again. */
  holdBack(): () => void {
    let go: () => void = () => undefined;
    this.held = new Promise((resolve) => {
      go = resolve;
    });
    return go;
  }

  query: Store['query'] = async (statement) => {
    if (statement.name === 'lease_heartbeat') {
      this.queries++;
      await this.held;
    }
    return this.store.query(statement);
  };
  atomically: Store['atomically'] = (statements, priority) => this.store.atomically(statements, priority);
  transaction: Store['transaction'] = (work) => this.store.transaction(work);
  close = async () => undefined;
}
