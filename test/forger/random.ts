/** Park and Miller's generator: an attack is reproducible by its seed. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = 1 + (seed % 2_147_483_646);
    // Similar seeds give similar first numbers.
    for (let n = 0; n < 3; n++) this.below(1);
  }

  /** A whole number from 0 to `count` - 1. */
  below(count: number): number {
    this.state = (this.state * 48_271) % 2_147_483_647;
    return this.state % count;
  }

  /** A whole number from `first` to `last`. */
  between(first: number, last: number): number {
    return first + this.below(last - first + 1);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}
