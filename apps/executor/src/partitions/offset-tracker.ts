const UNSEEN = -3;
const OPEN = -2;
const COVERED = -1;
const COMPACT_AT = 4096;

/**
 * Which records of one input topic are done with: a record is covered once its call has a row or an end (or it is none
 * of the executor's business). Below the lowest that is not, everything is history and never fires.
 */
export class OffsetTracker {
  private states: number[] = [];
  private head = 0;
  private base: number;

  constructor(history_below: number) {
    this.base = history_below;
  }

  /** Everything below is history. */
  get historyBelow(): number {
    return this.base;
  }

  /** False: the record is history or was covered before; nothing may be done with it. */
  open(offset: number): boolean {
    if (offset < this.base) return false;
    const at = this.slot(offset);
    if ((this.states[at] as number) >= COVERED) return false;
    this.states[at] = OPEN;
    return true;
  }

  /** The record needs nothing any more; `end_offset`: where its end stands on tool-executed, if it has one. */
  cover(offset: number, end_offset = COVERED): void {
    if (offset < this.base) return;
    const at = this.slot(offset);
    this.states[at] = Math.max(this.states[at] as number, end_offset);
    while (this.head < this.states.length && (this.states[this.head] as number) >= COVERED) {
      this.head++;
      this.base++;
    }
    if (this.head >= COMPACT_AT && this.head * 2 >= this.states.length) {
      this.states = this.states.slice(this.head);
      this.head = 0;
    }
  }

  /** The lowest end that a later reader must see to know what is covered above `historyBelow`; Infinity: none. */
  lowestEndAbove(): number {
    let lowest = Number.POSITIVE_INFINITY;
    for (let at = this.head; at < this.states.length; at++) {
      const state = this.states[at] as number;
      if (state >= 0 && state < lowest) lowest = state;
    }
    return lowest;
  }

  private slot(offset: number): number {
    const at = this.head + offset - this.base;
    while (this.states.length <= at) this.states.push(UNSEEN);
    return at;
  }
}
