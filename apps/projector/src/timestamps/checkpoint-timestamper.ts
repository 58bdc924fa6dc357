import { setTimeout as sleep } from 'node:timers/promises';
import type { Cosigned } from '@countersign/evidence';
import type { Clock, Evidence, Logger } from '@countersign/process';
import { type TimestampAuthority, timestampedBytes } from '@countersign/timestamps';

/** Poll interval for a new checkpoint, and for becoming the owner. */
const LOOK_MS = 1_000;
const RETRY_MIN_MS = 5_000;
const RETRY_MAX_MS = 300_000;

/** What is timestamped, and where tokens are kept. */
export type TimestampedEvidence = Pick<Evidence, 'checkpoints' | 'cosigned' | 'signer'> & Required<Pick<Evidence, 'timestamps'>>;

/** When timestamps are requested. */
export interface TimestampTerms {
  /** Whether this process signs. */
  owner: { readonly isOwner: boolean };
  every_ms: number;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
}

/**
 * Requests a timestamp of the newest checkpoint at regular times, beside signing, which never waits for it. Checkpoints in between get none:
 * the newest covers them. So while the authority is unavailable nothing piles up.
 */
export class CheckpointTimestamper {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private failures = 0;

  constructor(
    private readonly authority: TimestampAuthority,
    private readonly evidence: TimestampedEvidence,
    private readonly terms: TimestampTerms,
  ) {}

  start(): void {
    this.running = this.run();
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const pause_ms = await this.look().catch((cause) => this.failed(String(cause)));
      await sleep(pause_ms, undefined, { signal: this.stopping.signal, ref: false }).catch(() => undefined);
    }
  }

  /** Requests a timestamp if there is something new. Returns the pause before the next look. */
  async look(): Promise<number> {
    const next = this.terms.owner.isOwner ? await this.nextCheckpoint() : undefined;
    const bytes = next && timestampedBytes(next.note, this.evidence.signer.verifier);
    if (!next || !bytes) return LOOK_MS;
    const answer = await this.authority.stamp(bytes);
    if (answer.kind === 'failed') return this.failed(answer.reason);
    await this.evidence.timestamps.add({ ...next, token: answer.token.toString('base64'), time_ms: answer.time_ms });
    this.failures = 0;
    return this.terms.every_ms;
  }

  /** The newest checkpoint if it has no timestamp; where witnesses are asked, the newest that all of them cosigned. */
  private async nextCheckpoint(): Promise<Cosigned | undefined> {
    const { checkpoints, cosigned, timestamps } = this.evidence;
    const newest = cosigned.checksHeads ? await cosigned.verified() : (await checkpoints.newest())?.record;
    const known = await timestamps.newest();
    return newest && newest.number > (known?.number ?? -1) ? { number: newest.number, note: newest.note } : undefined;
  }

  private failed(cause: string): number {
    if (this.stopping.signal.aborted) return 0;
    const retry_ms = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** Math.min(this.failures++, 10));
    this.terms.logger.warn(
      { event: 'timestamp_failed', cause: cause.slice(0, 500), retry_ms },
      'no timestamp of the newest checkpoint; retrying',
    );
    return retry_ms;
  }

  async close(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }
}
