import { BrokenRecord } from '../trees/broken-record.js';
import type { CheckpointStore } from './checkpoint-store.js';
import type { KeptText } from './kept-text.js';

/** The mark moves after this many signed checkpoints; a start checks at most this many again. */
const EVERY = 256;

interface Mark {
  size: number;
  note: string;
}

/** The last stored checkpoint that the signer has checked. A checked checkpoint must neither be missing nor differ. */
export class CheckedMark {
  private size = 0;

  constructor(private readonly kept: KeptText) {}

  /** Size of the last checked checkpoint, 0 if there is none. @throws BrokenRecord if it is missing or differs from what was signed */
  async read(store: CheckpointStore): Promise<number> {
    const mark = markIn(await this.kept.read());
    if (!mark) return 0;
    const { size, note } = mark;
    const found = await store.at(size - 1);
    if (!found)
      throw new BrokenRecord(`checkpoint ${size} was signed and is no longer kept: checkpoints were deleted, or an old copy was restored`);
    if (found.record.note !== note) throw new BrokenRecord(`checkpoint ${size} differs from the one that was signed`);
    this.size = size;
    return size;
  }

  /** Records that everything up to this checkpoint was checked. */
  async move(size: number, note: string, isForced = false): Promise<void> {
    if (size === this.size || (!isForced && size - this.size < EVERY)) return;
    // If another process moved the mark in the meantime, its mark stays.
    await this.kept.replace(await this.kept.read(), JSON.stringify({ size, note } satisfies Mark));
    this.size = size;
  }
}

/** An unreadable mark counts as missing: then all checkpoints are checked again. */
function markIn(text: string | undefined): Mark | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Mark);
  } catch {
    return undefined;
  }
}
