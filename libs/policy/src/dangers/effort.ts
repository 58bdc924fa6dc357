/** Maximum characters of readings per value: about 5 ms. */
const CHARS_MAX = 200_000;
/** Maximum words per value that are checked as a part of a dangerous command. */
const WORDS_MAX = 8_000;

/** The remaining effort for one value. Counted, not timed, so that the same value always gets the same result. */
export class Effort {
  private chars = CHARS_MAX;
  private words = WORDS_MAX;

  /** False if the effort is used up: the rest of the value is unchecked. */
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
