import type { EventLog } from '@countersign/event-log';
import { Gauge, type Registry } from 'prom-client';
import type { Shown, ViewFolder } from './folding/view-folder.js';

/** A scrape does not wait longer than this for the log. */
const TIMEOUT_MS = 2_000;

export interface Lag {
  topic: string;
  partition: number;
  /** Records on the log that are not in the rows; NaN if the log did not respond. */
  records: number;
}

async function lagOf(log: EventLog, { topic, partition, next_offset }: Shown): Promise<Lag> {
  const head = await log.head(topic, partition);
  // If the head of a partition was deleted, nothing below its first record is missing.
  const from = next_offset === 0 && head > 0 ? await log.first(topic, partition) : next_offset;
  return { topic, partition, records: Math.max(0, head - from) };
}

/** How far the views lag behind the log, by topic and partition of this process. */
export async function lagBehind(log: EventLog, shown: readonly Shown[], timeout_ms = TIMEOUT_MS): Promise<Lag[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeout_ms);
  });
  const unknown = ({ topic, partition }: Shown) => ({ topic, partition, records: Number.NaN });
  const lag = shown.map(async (each) => (await Promise.race([lagOf(log, each).catch(() => undefined), late])) ?? unknown(each));
  return Promise.all(lag).finally(() => clearTimeout(timer));
}

/** `countersign_projector_lag_records`: records on the log that are not in the views yet, at scrape time. */
export function measureLag(folder: ViewFolder, log: EventLog, register: Registry): void {
  new Gauge({
    name: 'countersign_projector_lag_records',
    help: 'Records on the log that the views do not include yet',
    labelNames: ['topic', 'partition'],
    registers: [register],
    async collect() {
      const lag = await lagBehind(log, folder.shown());
      this.reset();
      for (const { topic, partition, records } of lag) this.set({ topic, partition: String(partition) }, records);
    },
  });
}
