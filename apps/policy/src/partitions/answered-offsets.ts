const BITS = 32;

/** The offsets of one input partition that have an answer on the log: one bit each, from a first offset on. */
export class AnsweredOffsets {
  private words = new Uint32Array(32);
  private highestOffset = -1;

  constructor(private readonly from: number) {}

  add(offset: number): void {
    if (offset < this.from) return;
    const bit = offset - this.from;
    const word = Math.floor(bit / BITS);
    if (word >= this.words.length) {
      const larger = new Uint32Array(Math.max(word + 1, this.words.length * 2));
      larger.set(this.words);
      this.words = larger;
    }
    (this.words[word] as number) |= 1 << (bit % BITS);
    if (offset > this.highestOffset) this.highestOffset = offset;
  }

  has(offset: number): boolean {
    if (offset < this.from || offset > this.highestOffset) return false;
    const bit = offset - this.from;
    return ((this.words[Math.floor(bit / BITS)] as number) & (1 << (bit % BITS))) !== 0;
  }

  /** -1 where there is none. */
  get highest(): number {
    return this.highestOffset;
  }
}
