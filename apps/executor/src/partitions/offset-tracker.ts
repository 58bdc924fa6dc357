/** State of a record: unseen, its call is open, acknowledged, or the offset of its end. */
type RecordState = 'unseen' | 'open' | 'acknowledged' | number;
const COMPACT_AT = 4096;

/**
 * Tracks the finished records of one input topic: a record is acknowledged once its call has a row or an end, or if it does not concern
 * the executor. All offsets below the lowest unacknowledged one are history, and their calls never run.
 */
export class OffsetTracker {
  private states: RecordState[] = [];
  private head = 0;
  private base: number;

  constructor(history_below: number) {
    this.base = history_below;
  }

  /** All lower offsets are history. */
  get historyBelow(): number {
    return this.base;
  }

  /** False: the record is history or was acknowledged before, and must be skipped. */
  open(offset: number): boolean {
    if (offset < this.base) return false;
    const at = this.slot(offset);
    if (isAcknowledged(this.states[at])) return false;
    this.states[at] = 'open';
    return true;
  }

  /** The record is finished; `end_offset`: the offset of its end on tool-executed, if it has one. */
  acknowledge(offset: number, end_offset?: number): void {
    if (offset < this.base) return;
    const at = this.slot(offset);
    const before = this.states[at];
    if (typeof before !== 'number') this.states[at] = end_offset ?? 'acknowledged';
    else if (end_offset !== undefined) this.states[at] = Math.max(before, end_offset);
    while (this.head < this.states.length && isAcknowledged(this.states[this.head])) {
      this.head++;
      this.base++;
    }
    if (this.head >= COMPACT_AT && this.head * 2 >= this.states.length) {
      this.states = this.states.slice(this.head);
      this.head = 0;
    }
  }

  /** The lowest end that a later reader must read to know which records above `historyBelow` are acknowledged; Infinity: none. */
  lowestEndAbove(): number {
    let lowest = Number.POSITIVE_INFINITY;
    for (let at = this.head; at < this.states.length; at++) {
      const state = this.states[at];
      if (typeof state === 'number' && state < lowest) lowest = state;
    }
    return lowest;
  }

  private slot(offset: number): number {
    const at = this.head + offset - this.base;
    while (this.states.length <= at) this.states.push('unseen');
    return at;
  }
}

const isAcknowledged = (state: RecordState | undefined): boolean => state === 'acknowledged' || typeof state === 'number';
