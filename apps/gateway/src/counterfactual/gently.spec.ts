import { expect, test } from 'vitest';
import { Gently } from './gently.js';

/** A clock that only work advances, and the length of each period of work without a pause. */
class Stretches {
  now_ms = 0;
  readonly lengths: number[] = [];
  private from_ms = 0;
  private watching = true;

  constructor() {
    const turn = (): void => {
      this.lengths.push(this.now_ms - this.from_ms);
      this.from_ms = this.now_ms;
      if (this.watching) setImmediate(turn);
    };
    setImmediate(turn);
  }

  longest(): number {
    this.watching = false;
    return Math.max(this.now_ms - this.from_ms, ...this.lengths);
  }
}

const TURN_MS = 8;

test('other work runs after 8 ms and the current step, whichever method does the work', async () => {
  const stretches = new Stretches();
  const gently = new Gently(() => stretches.now_ms);
  const steps = function* (): Generator<string, string> {
    for (let n = 0; n < 300; n++) {
      stretches.now_ms += 1 + (n % 3);
      yield `${n},`;
    }
    return 'done';
  };
  expect(await gently.steps(steps())).toBe('done');
  const pieces = await gently.gathered(steps(), 10_000);
  expect(pieces?.join('')).toBe(Array.from({ length: 300 }, (_, n) => `${n},`).join(''));
  let left = 300;
  await gently.all(() => {
    stretches.now_ms += 3;
    return --left > 0;
  });
  expect(stretches.now_ms).toBe(300 * 7);
  expect(stretches.longest()).toBeLessThanOrEqual(TURN_MS + 3);
});

test('text that exceeds the maximum is abandoned before it is complete', async () => {
  let made = 0;
  const endless = function* (): Generator<string> {
    for (;;) {
      made++;
      yield 'x'.repeat(1000);
    }
  };
  expect(await new Gently(() => 0).gathered(endless(), 50_000)).toBeUndefined();
  expect(made).toBe(51);
});
