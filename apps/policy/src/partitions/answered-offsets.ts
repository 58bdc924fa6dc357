const BITS = 32;

/** The offsets of one input partition that have an answer on the log: one bit each, from a first offset on. */
export class AnsweredOffsets {
  private words = new Uint32Array(32);
  private endOffset = 0;

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
    if (offset >= this.endOffset) this.endOffset = offset + 1;
  }

  has(offset: number): boolean {
    if (offset < this.from || offset >= this.endOffset) return false;
    const bit = offset - this.from;
    return ((this.words[Math.floor(bit / BITS)] as number) & (1 << (bit % BITS))) !== 0;
  }

  /** The offset after the highest one; 0 if there is none. */
  get end(): number {
    return this.endOffset;
  }
}
