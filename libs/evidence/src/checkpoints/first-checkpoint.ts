import type { CheckpointStore, NewestCheckpoint } from './checkpoint-store.js';

/** The number of the first checkpoint of which something holds that holds of all later ones too, up to this one. */
export async function firstCheckpoint(
  checkpoints: Pick<CheckpointStore, 'at'>,
  last: NewestCheckpoint,
  holds: (at: NewestCheckpoint) => boolean,
): Promise<number> {
  let [low, high] = [0, last.record.number];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const at = await checkpoints.at(middle);
    if (at && holds(at)) high = middle;
    else low = middle + 1;
  }
  return low;
}
