import { base64, isConsistent, strictBase64, type TreeHashing } from '@countersign/verifier';
import { type OpenedCheckpoint, timeText } from './checkpoint-steps.js';
import { failed, open, proven, type Step } from './step.js';

/** The last checkpoint of this installation that this browser verified. */
export interface Remembered {
  /** The key that signed it. */
  vkey: string;
  size: number;
  /** Base64. */
  root: string;
  /** C2SP signed note: the evidence, should the log contradict it. */
  note: string;
  /** When this browser verified it, RFC 3339. */
  seen_at: string;
  /** The first one of the chain: since then each newest checkpoint was proven to continue the one before. */
  first: { size: number; seen_at: string };
}

/**
 * How a checkpoint relates to the one that this browser remembers. `forked`, `shrunk` and `other_key` contradict it: this browser is shown
 * another history than before.
 */
export type Continuity =
  | { kind: 'first' }
  /** The log gave no answer to compare with. */
  | { kind: 'unknown'; reason: string }
  | { kind: 'same' | 'continued'; before: Remembered }
  | { kind: 'forked' | 'shrunk' | 'other_key'; before: Remembered; reason: string };

/** @param path consistency proof from the remembered checkpoint to this one (base64); absent if the log gave none */
export function continuityOf(
  hashing: TreeHashing,
  before: Remembered | undefined,
  { newest, vkey }: { newest: OpenedCheckpoint; vkey: string },
  path: readonly string[] | undefined,
): Continuity {
  if (!before) return { kind: 'first' };
  if (before.vkey !== vkey)
    return { kind: 'other_key', before, reason: 'it signs with another key than the one whose checkpoint this browser verified before' };
  if (newest.size < before.size) {
    const reason = `the log has ${newest.size} checkpoints, and this browser has verified ${before.size} of it`;
    return { kind: 'shrunk', before, reason };
  }
  if (newest.size === before.size) {
    if (base64(newest.root) === before.root) return { kind: 'same', before };
    return { kind: 'forked', before, reason: `there are two checkpoints of size ${before.size} with different roots` };
  }
  if (path && isContinuedBy(hashing, before, newest, path)) return { kind: 'continued', before };
  const reason = path
    ? `checkpoint ${newest.size} does not continue checkpoint ${before.size}, which this browser verified before`
    : `the log does not prove that checkpoint ${newest.size} continues checkpoint ${before.size}, which this browser verified before`;
  return { kind: 'forked', before, reason };
}

function isContinuedBy(hashing: TreeHashing, before: Remembered, newest: OpenedCheckpoint, path: readonly string[]): boolean {
  try {
    return isConsistent(hashing, { size: before.size, root: strictBase64(before.root) }, newest, path.map(strictBase64));
  } catch {
    return false;
  }
}

const TITLE = 'Since this browser looked first';
/** A chain that has just begun says nothing yet. */
const YOUNG_MS = 60_000;

/** Whether this browser has followed the log long enough to say so. */
export function isFollowed({ before: { first, seen_at } }: { before: Remembered }): boolean {
  return Date.parse(seen_at) - Date.parse(first.seen_at) >= YOUNG_MS;
}

const FIRST = 'This browser sees this log for the first time. It remembers the checkpoint from now on.';

/** What a file alone shows: a fork at the same size. Other sizes need the log. */
export function continuityOfFile(before: Remembered | undefined, checkpoint: OpenedCheckpoint, vkey: string): Continuity | undefined {
  if (before?.vkey !== vkey || before.size !== checkpoint.size) return undefined;
  if (base64(checkpoint.root) === before.root) return { kind: 'same', before };
  return { kind: 'forked', before, reason: `there are two checkpoints of size ${before.size} with different roots` };
}

/** True if this browser is shown another history than before. */
export const isContradiction = ({ kind }: Continuity): boolean => kind === 'forked' || kind === 'shrunk' || kind === 'other_key';

export function continuityStep(continuity: Continuity): Step {
  switch (continuity.kind) {
    case 'unknown':
      return open('continuity', TITLE, `Not compared with what this browser remembers: ${continuity.reason}`);
    case 'first':
      return open('continuity', TITLE, FIRST);
    case 'same':
    case 'continued': {
      const { first, size, root } = continuity.before;
      if (!isFollowed(continuity)) return open('continuity', TITLE, FIRST);
      const says = `This browser has followed the log since checkpoint ${first.size}, seen at ${timeText(Date.parse(first.seen_at))}: every entry of it is still there.`;
      return proven('continuity', TITLE, says, [
        ['Compared size', String(size)],
        ['Compared root', root],
      ]);
    }
    default:
      return failed('continuity', TITLE, `The log contradicts what it showed this browser: ${continuity.reason}.`, [
        ['Remembered size', String(continuity.before.size)],
        ['Remembered root', continuity.before.root],
      ]);
  }
}
