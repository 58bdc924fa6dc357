import { setTimeout as sleep } from 'node:timers/promises';
import type { NewestCheckpoint } from '@countersign/evidence';
import { anchorOf, type Evidence } from '@countersign/process';
import { coveredEnd, DECISIONS } from '@countersign/proofs';

/** A running signer writes a checkpoint within two seconds; a cosignature follows when the witness polls. */
const WAIT_MS = 5_000;
const POLL_MS = 100;

/** Whether a valid checkpoint covers a record of `configuration-changed`. */
export class CheckpointWait {
  constructor(
    private readonly evidence: Pick<Evidence, 'checkpoints' | 'cosigned'>,
    private readonly offset: number,
  ) {}

  get waits_for(): 'checkpoint' | 'cosignature' {
    return this.evidence.cosigned.asks ? 'cosignature' : 'checkpoint';
  }

  /** The checkpoint that covers the record; undefined if none does in time. Does not wait for witnesses. */
  async wait(): Promise<NewestCheckpoint | undefined> {
    for (const end = performance.now() + WAIT_MS; ; await sleep(POLL_MS)) {
      const anchor = await anchorOf(this.evidence);
      if (coveredEnd(anchor?.heads.values() ?? [], DECISIONS) > this.offset) return anchor;
      if (this.evidence.cosigned.asks || performance.now() > end) return undefined;
    }
  }
}
