import { setTimeout as sleep } from 'node:timers/promises';
import { answerRequests, claimReplay, dropReplaced, hasRebuildWork, settleRequests } from '@countersign/store';
import type { FoldSink } from '../folding/partition-fold.js';
import { type ReplayParts, ReplayRun, ReplayStopped } from './replay-run.js';

/** Poll interval for rebuild work. */
const LOOK_MS = 1_000;
const PAUSE_AFTER_FAULT_MS = 5_000;
const START_ATTEMPTS_MAX = 20;
const START_PAUSE_MS = 500;

/** Rebuilds projections in the background: requested ones and those of an older version. One worker at a time replays. */
export class Rebuilder {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly parts: ReplayParts,
    private readonly worker_id: string,
    private readonly sink: FoldSink & { info(fields: Record<string, unknown>, message: string): void },
  ) {}

  async start(): Promise<void> {
    // A topic that was just created may have no leader for some seconds.
    for (let attempt = 1; ; attempt++) {
      try {
        await settleRequests(this.parts.store, await this.parts.log.head('configuration-changed', 0));
        break;
      } catch (cause) {
        if (attempt === START_ATTEMPTS_MAX) throw cause;
        await sleep(START_PAUSE_MS);
      }
    }
    this.running = this.look();
  }

  async close(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async look(): Promise<void> {
    const { signal } = this.stopping;
    for (let pause_ms = 0; !signal.aborted; await sleep(pause_ms, undefined, { signal }).catch(() => undefined)) {
      try {
        pause_ms = (await this.once()) ? 0 : LOOK_MS;
      } catch (cause) {
        if (!(cause instanceof ReplayStopped))
          this.sink.error({ event: 'projection_rebuild_failed', cause: String(cause) }, 'a projection could not be rebuilt; retrying');
        pause_ms = PAUSE_AFTER_FAULT_MS;
      }
    }
  }

  /** Runs one replay if there is one to do. */
  private async once(): Promise<boolean> {
    const { store } = this.parts;
    if (!(await hasRebuildWork(store))) return false;
    await answerRequests(store);
    const replay = await claimReplay(store, this.worker_id);
    if (replay) {
      const builds = replay.builds.map(({ projection, suffix }) => `${projection} ${suffix}`);
      this.sink.info({ event: 'projection_rebuild_started', replay: replay.replay, builds }, 'rebuilding projections');
      await new ReplayRun(this.parts, replay, this.worker_id, this.stopping.signal).run();
      this.sink.info({ event: 'projection_rebuild_ended', replay: replay.replay, builds }, 'rebuilt projections are live');
    }
    await dropReplaced(store);
    return replay !== undefined;
  }
}
