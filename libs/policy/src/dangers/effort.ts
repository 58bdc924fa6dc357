/** Characters of readings that one value may cost: about 5 ms. */
const CHARS_MAX = 200_000;
/** Words that one value may have looked at as the beginning, or a part, of a dangerous command. */
const WORDS_MAX = 8_000;

/** What is left to spend on one value. Counted, not timed: the same value is judged alike everywhere and always. */
export class Effort {
  private chars = CHARS_MAX;
  private words = WORDS_MAX;

  /** False where it is used up: then the rest may be dangerous. */
  get left(): boolean {
    return this.chars >= 0 && this.words >= 0;
  }

  read(chars: number): boolean {
    this.chars -= chars;
    return this.left;
  }

  word(): boolean {
    this.words -= 1;
    return this.left;
  }
}
