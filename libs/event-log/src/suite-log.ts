import type { EventLog } from './event-log.js';
import type { EventLogFixture } from './suite-fixture.js';

/** Connections for the parts of the suite, which are closed after each test. */
export class SuiteLog {
  fixture!: EventLogFixture;
  readonly #open = new Set<EventLog>();

  async open(): Promise<EventLog> {
    const log = await this.fixture.open();
    this.#open.add(log);
    return log;
  }

  async close(log: EventLog): Promise<void> {
    this.#open.delete(log);
    await log.close();
  }

  /** Closes it and opens another on the same data. */
  async reopen(log: EventLog): Promise<EventLog> {
    await this.close(log);
    return this.open();
  }

  /** Ends it as its process's death would if the adapter supports that, else closes it, and opens another. */
  async crash(log: EventLog): Promise<EventLog> {
    if (this.fixture.crash === undefined) return this.reopen(log);
    this.#open.delete(log);
    await this.fixture.crash(log);
    return this.open();
  }

  async closeAll(): Promise<void> {
    for (const log of [...this.#open]) await this.close(log);
  }
}
