import { type EventLog, type LogRecord, RecordsDropped } from '@countersign/event-log';
import type { ChangeRecord } from './change.js';
import type { Place } from './log-layout.js';
import { inOrder, type RecordReader } from './record-reader.js';

/** Records of all tenants that a stream may have missed. Beyond it reading the lists again is cheaper. */
const RECORDS_MAX = 200_000;
/** Records of its tenant. */
const CHANGES_MAX = 20_000;
const READ_AT_ONCE = 500;

/** Whether no log of this installation reaches as far as a place. */
export async function isBeyond(log: Pick<EventLog, 'head'>, { layout }: RecordReader, place: Place, known: Place): Promise<boolean> {
  const beyond = layout.slots.map(async ({ topic, partition }, slot) => {
    const next = place[slot] as number;
    return next > (known[slot] as number) && next > (await log.head(topic, partition));
  });
  return (await Promise.all(beyond)).some((is_beyond) => is_beyond);
}

/** Reads what a stream has missed. */
export class Backlog {
  private left = CHANGES_MAX;

  constructor(
    private readonly log: Pick<EventLog, 'read'>,
    private readonly reader: RecordReader,
    private readonly tenant_id: string,
  ) {}

  /** The records between two places, in order; undefined if they are too many, or no longer on the log. */
  async between(from: Place, until: Place): Promise<ChangeRecord[] | undefined> {
    const missed = until.reduce((sum, next, slot) => sum + Math.max(0, next - (from[slot] as number)), 0);
    if (missed > RECORDS_MAX) return undefined;
    const found: ChangeRecord[] = [];
    for (const slot of this.reader.layout.slots.keys()) {
      if ((from[slot] as number) >= (until[slot] as number)) continue;
      if (!(await this.ofSlot(slot, [from[slot] as number, until[slot] as number], found))) return undefined;
    }
    return inOrder(found);
  }

  /** @returns whether the records are on the log and few enough */
  private async ofSlot(slot: number, [from, until]: readonly [number, number], found: ChangeRecord[]): Promise<boolean> {
    let order = 0;
    for (let next = from; next < until; ) {
      const records = await this.read(slot, next, Math.min(READ_AT_ONCE, until - next));
      const last = records?.at(-1);
      if (!records || !last) return false;
      const changes = await this.reader.changes(slot, records, (tenant_id) => tenant_id === this.tenant_id, order);
      for (const change of changes) found.push(change);
      order = changes.at(-1)?.order ?? order;
      next = last.offset + 1;
      this.left -= changes.length;
      if (this.left < 0) return false;
    }
    return true;
  }

  private async read(slot: number, from: number, count: number): Promise<LogRecord[] | undefined> {
    const { topic, partition } = this.reader.layout.slots[slot] as { topic: string; partition: number };
    try {
      return await this.log.read(topic, partition, from, count);
    } catch (cause) {
      if (cause instanceof RecordsDropped) return undefined;
      throw cause;
    }
  }
}
