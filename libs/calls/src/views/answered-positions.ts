import type { LogPosition } from '@countersign/store';

/** The newest position of each partition that this process gave in an answer: its views must have passed it. */
export class AnsweredPositions {
  private readonly newest = new Map<string, number[]>();

  note(at: LogPosition): void {
    const partitions = this.newest.get(at.topic) ?? [];
    if (partitions.length === 0) this.newest.set(at.topic, partitions);
    if ((partitions[at.partition] ?? -1) < at.offset) partitions[at.partition] = at.offset;
  }

  /** All of them, or those of one partition number. */
  of(partition?: number): LogPosition[] {
    const found: LogPosition[] = [];
    for (const [topic, offsets] of this.newest)
      offsets.forEach((offset, number) => {
        if (partition === undefined || number === partition) found.push({ topic, partition: number, offset });
      });
    return found;
  }
}
