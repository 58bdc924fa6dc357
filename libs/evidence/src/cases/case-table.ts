import { hash } from 'node:crypto';

const START_SLOTS = 1024;
/** Above this share of used slots the table doubles. */
const FILL_MAX = 0.6;

/** The offset of the newest leaf of each case, 16 bytes a slot. */
export class CaseTable {
  private keys = new BigUint64Array(START_SLOTS);
  /** Offset plus 1; 0 marks an empty slot. */
  private offsets = new Float64Array(START_SLOTS);
  private used = 0;

  get(tenant_id: string, case_id: string): number | undefined {
    const key = keyOf(tenant_id, case_id);
    const offset = this.offsets[this.slotOf(key)] as number;
    return offset === 0 ? undefined : offset - 1;
  }

  set(tenant_id: string, case_id: string, offset: number): void {
    if (this.used > this.keys.length * FILL_MAX) this.double();
    this.put(keyOf(tenant_id, case_id), offset + 1);
  }

  private put(key: bigint, stored: number): void {
    const slot = this.slotOf(key);
    if (this.offsets[slot] === 0) this.used++;
    this.keys[slot] = key;
    this.offsets[slot] = stored;
  }

  /** The slot with this key, or the empty one where it belongs. */
  private slotOf(key: bigint): number {
    const { length } = this.keys;
    for (let slot = Number(key & BigInt(length - 1)); ; slot = (slot + 1) % length)
      if (this.offsets[slot] === 0 || this.keys[slot] === key) return slot;
  }

  private double(): void {
    const { keys, offsets } = this;
    this.keys = new BigUint64Array(keys.length * 2);
    this.offsets = new Float64Array(keys.length * 2);
    this.used = 0;
    for (const [slot, stored] of offsets.entries()) if (stored !== 0) this.put(keys[slot] as bigint, stored);
  }
}

function keyOf(tenant_id: string, case_id: string): bigint {
  return hash('sha256', `${tenant_id}\n${case_id}`, 'buffer').readBigUInt64LE();
}
