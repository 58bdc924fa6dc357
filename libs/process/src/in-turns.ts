import { setImmediate as nextTurn } from 'node:timers/promises';

const TURN_MS = 4;

/** Runs the steps and yields to other work every 4 ms; resolves with the result. */
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
