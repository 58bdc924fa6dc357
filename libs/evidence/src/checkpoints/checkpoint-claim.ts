import type { CheckpointRecord } from './checkpoint-store.js';
import type { KeptText } from './kept-text.js';

/**
 * The entry that is about to be appended to the log. Of two signers one claims a number, and any signer that finds a claim completes its
 * entry.
 */
export class CheckpointClaim {
  constructor(private readonly kept: KeptText) {}

  /** The last claimed entry; it may already be stored. */
  async last(): Promise<CheckpointRecord | undefined> {
    return claimIn(await this.kept.read());
  }

  /** The entry to append under this number: this one, or the one that another signer claimed first. */
  async take(record: CheckpointRecord): Promise<CheckpointRecord> {
    for (;;) {
      const text = await this.kept.read();
      const known = claimIn(text);
      if (known && known.number >= record.number) return known;
      if (await this.kept.replace(text, JSON.stringify(record))) return record;
    }
  }
}

function claimIn(text: string | undefined): CheckpointRecord | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as CheckpointRecord);
}
