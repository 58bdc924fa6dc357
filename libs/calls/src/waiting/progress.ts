import { decodeProgress, progressChannel, type WakeUpChannel } from '@countersign/process';
import type { CallBoard } from './call-board.js';

/** Takes the hints of how far runs are to whoever follows their calls. */
export async function followProgress(channel: WakeUpChannel, lanes: readonly string[], board: CallBoard): Promise<void> {
  for (const lane of lanes)
    await channel.subscribe(progressChannel(lane), (payload) => {
      const progress = board.size === 0 ? undefined : decodeProgress(payload);
      if (progress) board.progressed(progress);
    });
}
