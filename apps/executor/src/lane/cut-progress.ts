import { laneTopic } from '@countersign/contracts';
import type { EventLog } from '@countersign/event-log';
import { cutProgressStatement, type ExecutorProgress, readAllProgress, type Store } from '@countersign/store';

/**
 * Cuts the progress of executors to what the log has. The database of an embedded installation may have synced progress past decisions
 * that were lost with the machine; the next decisions take their offsets, and they would count as executed. Call it before any service
 * appends.
 */
export async function cutProgress(log: EventLog, store: Store, lanes: readonly string[]): Promise<void> {
  const cut: ExecutorProgress[] = [];
  for (const row of await readAllProgress(store)) {
    // The topics of another lane may be gone, and a new log may have fewer partitions: nothing is read there by this process.
    if (!lanes.includes(row.lane) || row.partition >= log.partitions(row.topic)) continue;
    const history_below = Math.min(row.history_below, await log.head(row.topic, row.partition));
    const ends_from = Math.min(row.ends_from, await log.head(laneTopic('tool-executed', row.lane), row.partition));
    if (history_below < row.history_below || ends_from < row.ends_from) cut.push({ ...row, history_below, ends_from });
  }
  if (cut.length > 0) await store.query(cutProgressStatement(cut));
}
