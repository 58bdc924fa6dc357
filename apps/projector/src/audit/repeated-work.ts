import type { Logger } from '@countersign/process';
import type { BackgroundPace } from './background-pace.js';

const AGAIN_MS = 5_000;
/** How soon it begins once it is this process that does it. */
const OWNER_LOOK_MS = 1_000;

/** When work of the background is done, and who does it. */
export interface WorkTerms {
  pace: BackgroundPace;
  /** Whether it is this process that looks after the trees. */
  owner: { readonly isOwner: boolean };
  logger: Pick<Logger, 'warn'>;
}

/** Does work again and again until the process stops, where it is this process that does it. What fails is tried again. */
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
