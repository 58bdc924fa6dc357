import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamOut } from '../streams/event-stream.js';
import type { SagaRecord } from './saga-watches.js';
import type { SagaWithSteps } from './sagas.schemas.js';

/** Shortest time between two events, ms: many records of a saga follow each other at once. */
const APART_MS = 100;

/** A saga as the views show it, once they have its records up to a position. */
export interface ShownSaga {
  /** Offset of a record that it shows; of a saga that has ended at least one more than all before the end. */
  offset: number;
  /** Of all its records. */
  partition: number;
  saga: SagaWithSteps;
}

/** Reads the saga after the views have this record. @throws if the views cannot be read now */
export type ReadShownSaga = (after: SagaRecord) => Promise<ShownSaga>;

/** Streams a saga to one reader as server-sent events: `status` with the whole saga after its records, until it has ended. */
export class SagaStream {
  private newest: SagaRecord | undefined;
  private reading = false;
  private over = false;
  private sent = -1;

  constructor(
    private readonly out: StreamOut & { close(reason: 'unavailable'): void },
    private readonly read: ReadShownSaga,
    private readonly text: (saga: SagaWithSteps) => string | Promise<string>,
  ) {}

  wants(): boolean {
    return true;
  }

  /** Accepts a new record of the saga. */
  take(at: SagaRecord): void {
    this.newest = at;
    if (!this.reading && !this.over) void this.update();
  }

  /** Shows the saga as this reads it, unless a later record was shown meanwhile. */
  async begin(read: () => Promise<ShownSaga>): Promise<void> {
    try {
      this.show(await read());
    } catch {
      this.fail();
    }
  }

  /** The reader has left. */
  leave(): void {
    this.over = true;
  }

  private show({ offset, saga }: Pick<ShownSaga, 'offset' | 'saga'>): void {
    if (this.over || offset <= this.sent) return;
    this.sent = offset;
    const body = this.text(saga);
    const event = (text: string) => `id: ${offset}\nevent: status\ndata: ${text}\n\n`;
    this.out.write(typeof body === 'string' ? event(body) : body.then(event));
    if (saga.ended_at !== null) this.end();
  }

  private end(): void {
    this.over = true;
    this.out.end();
  }

  private fail(): void {
    if (this.over) return;
    this.over = true;
    this.out.close('unavailable');
  }

  private async showAfter(at: SagaRecord): Promise<void> {
    const { offset, saga } = await this.read(at);
    this.show({ offset: Math.max(offset, at.offset), saga });
  }

  private async update(): Promise<void> {
    this.reading = true;
    try {
      while (this.newest && this.newest.offset > this.sent && !this.over) {
        await this.showAfter(this.newest);
        await sleep(APART_MS, undefined, { ref: false });
      }
    } catch {
      this.fail();
    }
    this.reading = false;
  }
}
