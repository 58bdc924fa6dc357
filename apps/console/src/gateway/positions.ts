const POSITION = /^([a-z][a-z0-9.-]*:\d{1,5}):(\d{1,15})$/;
/** More partitions than one gateway writes for one person in a while; the oldest ones are dropped. */
const PARTITIONS_MAX = 32;

/**
 * How far the log was when the gateway last answered this tab (`Countersign-Position`). Sent back, so that a read after a write sees it,
 * whichever gateway answers.
 */
export class Positions {
  private readonly offsets = new Map<string, number>();

  /** Takes the positions of an answer or of an event; skips what is none. */
  record(text: string | null | undefined): void {
    for (const one of text?.split(',') ?? []) {
      const [, partition, offset] = POSITION.exec(one.trim()) ?? [];
      if (partition === undefined) continue;
      const known = this.offsets.get(partition) ?? -1;
      this.offsets.delete(partition);
      this.offsets.set(partition, Math.max(known, Number(offset)));
      for (const oldest of this.offsets.keys()) {
        if (this.offsets.size <= PARTITIONS_MAX) break;
        this.offsets.delete(oldest);
      }
    }
  }

  /** The header to send; undefined before the first position. */
  header(): string | undefined {
    if (this.offsets.size === 0) return undefined;
    return [...this.offsets].map(([partition, offset]) => `${partition}:${offset}`).join(',');
  }

  clear(): void {
    this.offsets.clear();
  }
}
