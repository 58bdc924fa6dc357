import { decodeProgress, progressChannel, type WakeUpChannel } from '@countersign/process';
import type { WatchedCalls } from './watched-calls.js';

/** Delivers progress hints of runs to the followers of their calls. */
export async function followProgress(channel: WakeUpChannel, lanes: readonly string[], watchedCalls: WatchedCalls): Promise<void> {
  for (const lane of lanes)
    await channel.subscribe(progressChannel(lane), (payload) => {
      const progress = watchedCalls.size === 0 ? undefined : decodeProgress(payload);
      if (progress) watchedCalls.progressed(progress);
    });
}
