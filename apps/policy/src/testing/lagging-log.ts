import { setTimeout as sleep } from 'node:timers/promises';
import type { Follower, RunningSubscription } from '@countersign/event-log';
import { FlakyLog } from './flaky-log.js';

/** For specs: a log whose followers read the configuration late. */
export class LaggingLog extends FlakyLog {
  lag_ms = 0;

  override follow(follower: Follower): Promise<RunningSubscription> {
    const onBatch: Follower['onBatch'] = async (batch) => {
      if (batch.topic === 'configuration-changed') await sleep(this.lag_ms);
      await follower.onBatch(batch);
    };
    return super.follow({ ...follower, onBatch });
  }
}
