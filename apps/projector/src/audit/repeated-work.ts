import type { Logger } from '@countersign/process';
import type { BackgroundPace } from './background-pace.js';

const AGAIN_MS = 5_000;
/** Poll interval for becoming the owner. */
const OWNER_LOOK_MS = 1_000;

/** Pace and owner of background work. */
export interface WorkTerms {
  pace: BackgroundPace;
  /** Whether this process is responsible for the trees. */
  owner: { readonly isOwner: boolean };
  logger: Pick<Logger, 'warn'>;
}

/** Repeats work until the process stops, while this process is the owner. Failed work is retried. */
export async function repeatWork({ pace, owner, logger }: WorkTerms, every_ms: number, work: () => Promise<void>): Promise<void> {
  for (let pause_ms = every_ms; !pace.isStopped; await pace.rest(pause_ms)) {
    pause_ms = owner.isOwner ? every_ms : Math.min(every_ms, OWNER_LOOK_MS);
    try {
      if (owner.isOwner) await work();
    } catch (cause) {
      if (pace.isStopped) return;
      logger.warn({ event: 'scrub_paused', cause: String(cause) }, 'the log could not be compared; retrying');
      pause_ms = AGAIN_MS;
    }
  }
}
