import { ExpiryWheel } from '@countersign/process';
import type { SagaPartition } from '../partitions/saga-partition.js';
import { keyOfSaga, type OpenSaga } from '../sagas/open-saga.js';

const TURN_MS = 100;

interface SagaTimer {
  at_ms: number;
  partition: SagaPartition;
  saga: OpenSaga;
}

/** The next moment of each saga, in one wheel with one interval for all sagas of the process. Never early, up to one turn late. */
export class SagaTimers {
  private readonly set_for = new Map<string, SagaTimer>();
  private readonly wheel = new ExpiryWheel<SagaTimer>();
  private interval: NodeJS.Timeout | undefined;

  constructor(private readonly now_ms: () => number) {}

  /** Sets or moves the timer of a saga; undefined: it waits for no moment. */
  set(partition: SagaPartition, saga: OpenSaga, at_ms: number | undefined): void {
    const key = keyOfSaga(saga);
    const known = this.set_for.get(key);
    if (known && known.at_ms === at_ms && known.partition === partition) return;
    this.set_for.delete(key);
    if (at_ms === undefined) return;
    const timer = { at_ms, partition, saga };
    this.set_for.set(key, timer);
    this.wheel.add(at_ms, timer);
    this.interval ??= setInterval(() => this.turn(), TURN_MS).unref();
  }

  remove(saga: OpenSaga): void {
    this.set_for.delete(keyOfSaga(saga));
  }

  close(): void {
    clearInterval(this.interval);
    this.interval = undefined;
    this.set_for.clear();
  }

  private turn(): void {
    for (const timer of this.wheel.turn(this.now_ms())) {
      const { partition, saga } = timer;
      const key = keyOfSaga(saga);
      if (this.set_for.get(key) !== timer) continue;
      this.set_for.delete(key);
      const { tenant_id, saga_id } = saga;
      void partition.submit({ tenant_id, saga_id, order: { kind: 'timer' }, cause: null });
    }
    if (this.wheel.size > 2 * this.set_for.size + 1000) this.wheel.retain((timer) => this.set_for.get(keyOfSaga(timer.saga)) === timer);
    if (this.set_for.size === 0) this.close();
  }
}
