import type { SagaUndoneEffect } from '@countersign/contracts';
import { Seeded } from '../lanes/seeded.js';

/** Effects of earlier calls on a few resources, oldest first. */
export function randomUndo(seed: number): SagaUndoneEffect[] {
  const random = new Seeded(seed);
  return Array.from({ length: 1 + random.below(6) }, (_, at) => ({
    ...{ step_id: `call_${at + 1}`, call_id: `earlier${at}`, tool: 'tool', version: '1.0.0', key: `effect ${at}`, attempt: 1 },
    resources: random.oneIn(8) ? [] : [`r${random.below(3)}`],
    happened_at_ms: at,
  }));
}
