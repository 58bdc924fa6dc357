const START_SLOTS = 1024;
/** Above this share of used slots the table doubles. */
const FILL_MAX = 0.6;

/** 64 bits of a hash that nobody can make two cases share. */
export interface CaseKey {
  low: number;
  high: number;
}

/** `start`: the hash of the case before its first record. */
export function caseKey(start: Buffer): CaseKey {
  return { low: start.readUInt32BE(0), high: start.readUInt32BE(4) };
}

/** The offset of the newest leaf of each case, 16 bytes a slot. */
export class CaseTable {
  private lows = new Uint32Array(START_SLOTS);
  private highs = new Uint32Array(START_SLOTS);
  /** Offset plus 1; 0 marks an empty slot. */
  private offsets = new Float64Array(START_SLOTS);
  private used = 0;

  get(key: CaseKey): number | undefined {
    const offset = this.offsets[this.slotOf(key)] as number;
    return offset === 0 ? undefined : offset - 1;
  }

  set(key: CaseKey, offset: number): void {
    if (this.used > this.offsets.length * FILL_MAX) this.double();
    this.put(key, offset + 1);
  }

  private put({ low, high }: CaseKey, stored: number): void {
    const slot = this.slotOf({ low, high });
    if (this.offsets[slot] === 0) this.used++;
    this.lows[slot] = low;
    this.highs[slot] = high;
    this.offsets[slot] = stored;
  }

  /** The slot with this key, or the empty one where it belongs. */
  private slotOf({ low, high }: CaseKey): number {
    const { length } = this.offsets;
    for (let slot = low & (length - 1); ; slot = (slot + 1) & (length - 1)) {
      if (this.offsets[slot] === 0) return slot;
      if (this.lows[slot] === low && this.highs[slot] === high) return slot;
    }
  }

  private double(): void {
    const { lows, highs, offsets } = this;
    this.lows = new Uint32Array(offsets.length * 2);
    this.highs = new Uint32Array(offsets.length * 2);
    this.offsets = new Float64Array(offsets.length * 2);
    this.used = 0;
    for (const [slot, stored] of offsets.entries())
      if (stored !== 0) this.put({ low: lows[slot] as number, high: highs[slot] as number }, stored);
  }
}
