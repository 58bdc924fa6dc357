import type { LogRecord } from '@countersign/event-log';
import { keptLeafHash } from '@countersign/event-log/kept-leaf';
import { HASH_BYTES } from '@countersign/proofs';

const START_BYTES = 64 * HASH_BYTES;

/**
 * The hashes of consecutive records of one partition in one buffer. One Buffer per hash would need four times the memory and slow down
 * garbage collection.
 */
export class HashedRun {
  private bytes = Buffer.allocUnsafe(START_BYTES);
  private from = 0;
  private to = 0;

  constructor(
    readonly topic: string,
    readonly partition: number,
    private first_offset: number,
  ) {}

  get first(): number {
    return this.first_offset;
  }

  get count(): number {
    return (this.to - this.from) / HASH_BYTES;
  }

  /** The required offset of the next record. */
  get next(): number {
    return this.first_offset + this.count;
  }

  add(record: LogRecord): void {
    if (this.to === this.bytes.length) this.grow();
    keptLeafHash(record).copy(this.bytes, this.to);
    this.to += HASH_BYTES;
  }

  /** The oldest hashes, concatenated; valid until the next `add`. */
  oldest(count: number): Buffer {
    return this.bytes.subarray(this.from, this.from + count * HASH_BYTES);
  }

  dropOldest(count: number): void {
    this.from += count * HASH_BYTES;
    this.first_offset += count;
  }

  private grow(): void {
    const length = this.to - this.from;
    const larger = Buffer.allocUnsafe(Math.max(START_BYTES, length * 2));
    this.bytes.copy(larger, 0, this.from, this.to);
    this.bytes = larger;
    this.from = 0;
    this.to = length;
  }
}
