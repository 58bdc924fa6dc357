import type { EventLog } from '@countersign/event-log';
import { Gauge, type Registry } from 'prom-client';
import type { Shown, ViewFolder } from './folding/view-folder.js';

/** A log that does not answer holds no scrape up. */
const TIMEOUT_MS = 2_000;

export interface Lag {
  topic: string;
  partition: number;
  /** On the log now and not in the rows; not a number where the log did not say. */
  records: number;
}

async function lagOf(log: EventLog, { topic, partition, next_offset }: Shown): Promise<Lag> {
  const head = await log.head(topic, partition);
  // Behind a dropped head of a partition, nothing is left to show below its first record.
  const from = next_offset === 0 && head > 0 ? await log.first(topic, partition) : next_offset;
  return { topic, partition, records: Math.max(0, head - from) };
}

/** How far the views are behind the log, by topic and partition of what this process folds. */
export async function lagBehind(log: EventLog, shown: readonly Shown[], timeout_ms = TIMEOUT_MS): Promise<Lag[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeout_ms);
  });
  const unknown = ({ topic, partition }: Shown) => ({ topic, partition, records: Number.NaN });
  const lag = shown.map(async (each) => (await Promise.race([lagOf(log, each).catch(() => undefined), late])) ?? unknown(each));
  return Promise.all(lag).finally(() => clearTimeout(timer));
}

/** `countersign_projector_lag_records`: what stands on the log and is not in the views yet, as of the scrape. */
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
