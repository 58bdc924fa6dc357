import { TURNS_MAX, USUAL_INPUTS_CHARS } from './limits.js';

/** The turns left for the current evaluation. Evaluations are synchronous, so there is only one at a time. */
class Turns {
  private left = 0;

  start(inputs_chars: number): void {
    this.left = Math.floor(TURNS_MAX * Math.min(1, USUAL_INPUTS_CHARS / Math.max(1, inputs_chars)));
  }

  /** @throws if the turns are used up. */
  pay(count: number): void {
    this.left -= count;
    if (this.left < 0) throw new Error('the condition looks at too many items');
  }
}

export const turns = new Turns();
