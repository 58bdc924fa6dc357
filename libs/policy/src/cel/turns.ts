import { TURNS_MAX, USUAL_INPUTS_CHARS } from './limits.js';

/** The turns that the evaluation in progress may still take. Evaluations are synchronous, so there is one at a time. */
class Turns {
  private left = 0;

  start(inputs_chars: number): void {
    this.left = Math.floor(TURNS_MAX * Math.min(1, USUAL_INPUTS_CHARS / Math.max(1, inputs_chars)));
  }

  /** @throws where they are used up. */
  pay(count: number): void {
    this.left -= count;
    if (this.left < 0) throw new Error('the condition looks at too many items');
  }
}

export const turns = new Turns();
