import { type OwedCallback, oweCallbacks, type Store, settleCallbacks } from '@countersign/store';

const CHUNK = 500;

interface PendingWrite {
  call: OwedCallback;
  written(): void;
  failed(cause: unknown): void;
}

/**
 * Callbacks that were not delivered yet, in rows that outlive this process. Batched: one write of each kind is
 * in progress, and calls that arrive during it go with the next.
 */
export class OwedCallbacks {
  private pending: PendingWrite[] = [];
  private settled: string[] = [];
  private busy = false;

  constructor(private readonly store: Pick<Store, 'query'>) {}

  /** Resolves once the row is written; rejects where the store is unavailable. */
  owe(call: OwedCallback): Promise<void> {
    return new Promise((written, failed) => {
      this.pending.push({ call, written, failed });
      void this.flush();
    });
  }

  /** Removes the owed callback. If the store is unavailable the row stays, and a restart may repeat the callback. */
  settle(callId: string): void {
    this.settled.push(callId);
    void this.flush();
  }

  private async flush(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    while (this.pending.length + this.settled.length > 0) {
      const settled = this.settled.splice(0, CHUNK);
      const pending = this.pending.splice(0, CHUNK);
      // Settle first: a call that is requested again under the same id owes its callback again.
      if (settled.length > 0) await settleCallbacks(this.store, settled).catch(() => undefined);
      if (pending.length > 0) await this.write(pending);
    }
    this.busy = false;
  }

  private write(pending: readonly PendingWrite[]): Promise<void> {
    const calls = pending.map(({ call }) => call);
    return oweCallbacks(this.store, calls).then(
      () => {
        for (const each of pending) each.written();
      },
      (cause) => {
        for (const each of pending) each.failed(cause);
      },
    );
  }
}
