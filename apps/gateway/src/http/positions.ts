import type { LogPosition } from '@countersign/store';

const ONE = /^([a-z][a-z0-9.-]*):(\d{1,5}):(\d{1,15})$/;

/** `Countersign-Position`: `<topic>:<partition>:<offset>`, several separated by commas. */
export function positionText(at: LogPosition): string {
  return `${at.topic}:${at.partition}:${at.offset}`;
}

/** The positions of a header; what is none of ours is left out. */
export function parsePositions(text: string | undefined): LogPosition[] {
  if (text === undefined) return [];
  return text.split(',').flatMap((one) => {
    const match = ONE.exec(one.trim());
    return match ? [{ topic: match[1] as string, partition: Number(match[2]), offset: Number(match[3]) }] : [];
  });
}

/** The newest position of each partition that this gateway gave in an answer: its views must have passed it. */
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
