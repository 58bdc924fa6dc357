import { Gauge, type Registry } from 'prom-client';
import type { ViewFolder } from './folding/view-folder.js';

/** Records that stand on the log and are not folded, by topic and partition, as of the newest batch of each. */
export function measureLag(folder: ViewFolder, register: Registry): void {
  new Gauge({
    name: 'countersign_projector_lag_records',
    help: 'Records on the log that the views do not show yet',
    labelNames: ['topic', 'partition'],
    registers: [register],
    collect() {
      for (const { topic, partition, records } of folder.lag()) this.set({ topic, partition: String(partition) }, records);
    },
  });
}
