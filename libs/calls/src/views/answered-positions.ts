import type { LogPosition } from '@countersign/store';

/** The newest position per partition that this process has returned in an answer. Its later reads wait until the views have passed it. */
export class AnsweredPositions {
  private readonly newest = new Map<string, number[]>();

  note(at: LogPosition): void {
    const partitions = this.newest.get(at.topic) ?? [];
    if (partitions.length === 0) this.newest.set(at.topic, partitions);
    if ((partitions[at.partition] ?? -1) < at.offset) partitions[at.partition] = at.offset;
  }

  /** The positions of all partitions, or of one partition number. */
  of(partition?: number): LogPosition[] {
    const found: LogPosition[] = [];
    for (const [topic, offsets] of this.newest)
      offsets.forEach((offset, number) => {
        if (partition === undefined || number === partition) found.push({ topic, partition: number, offset });
      });
    return found;
  }
}
