import { Mulberry32 } from '../../mulberry32.js';

/** Draws for simulations: the same seed gives the same run. */
export class Seeded extends Mulberry32 {
  below(n: number): number {
    return this.next() % n;
  }

  /** True once in `n` times. */
  oneIn(n: number): boolean {
    return this.below(n) === 0;
  }
}
