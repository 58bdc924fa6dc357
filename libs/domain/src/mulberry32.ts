/** Pseudorandom numbers (mulberry32): the same seed gives the same sequence. Not for secrets. */
export class Mulberry32 {
  constructor(private state: number) {}

  /** A whole number from 0 to 2^32 - 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  }

  /** A number from 0 to below 1. */
  unit(): number {
    return this.next() / 2 ** 32;
  }
}
