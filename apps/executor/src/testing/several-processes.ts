import { Store } from '@countersign/store';

/** One Postgres seen by several processes: closing it in one leaves it open for the others. */
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

/** A clock that can be stopped, as SIGSTOP stops a process: its lease expires unnoticed. */
export class StoppedClock {
  private stopped_ms = 0;
  readonly now_ms = () => Date.now();
  readonly monotonic_ms = () => performance.now() + this.stopped_ms;
  jump(ms: number): void {
    this.stopped_ms += ms;
  }
}

/** A store whose lease responses can be delayed, as by a high load. */
export class SlowLeases extends Store {
  /** Number of heartbeats sent. */
  queries = 0;
  private held: Promise<void> | undefined;

  constructor(
    private readonly store: Store,
    readonly durable: boolean,
  ) {
    super();
  }

  /** @returns a function that releases the responses. */
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
