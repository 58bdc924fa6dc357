import { setImmediate as nextTurn } from 'node:timers/promises';

const TURN_MS = 4;

/** Runs the steps, and lets everybody else have a turn every 4 ms; resolves with what they return. */
export async function inTurns<T>(steps: Iterator<void, T>): Promise<T> {
  for (;;) {
    const until = performance.now() + TURN_MS;
    do {
      const { done, value } = steps.next();
      if (done) return value;
    } while (performance.now() < until);
    await nextTurn();
  }
}
