import { BatchDecoder } from '@countersign/event-log/transport/batch-decoder';
import type { AppDeps } from '@countersign/process';
import type { Callbacks } from './callbacks/callbacks.js';
import { Resume } from './callbacks/resume.js';
import type { AnsweredPositions } from './views/answered-positions.js';
import { type InFlightShares, shareInFlight } from './waiting/in-flight-shares.js';
import { followProgress } from './waiting/progress.js';
import type { TimerWheel } from './waiting/timer-wheel.js';
import { takeHints } from './waiting/wake-ups.js';
import type { WatchedCalls } from './waiting/watched-calls.js';
import { WatchedCallsFollower } from './waiting/watched-calls-follower.js';

/** Connects this process to news about calls from the log, the views and other processes. */
export class RunningCalls {
  private readonly decoder: BatchDecoder;
  private readonly follower: WatchedCallsFollower;
  private shares: InFlightShares | undefined;

  constructor(
    private readonly deps: Pick<AppDeps, 'log' | 'codec' | 'schemas' | 'store' | 'clock' | 'wake_ups'>,
    private readonly watchedCalls: WatchedCalls,
    private readonly wheel: TimerWheel,
    private readonly parts: { callbacks: Callbacks; answered: AnsweredPositions },
  ) {
    this.decoder = new BatchDecoder(deps.codec, deps.schemas);
    this.follower = new WatchedCallsFollower(deps.log, this.decoder, watchedCalls, deps.wake_ups.is_ahead_of_log);
  }

  /** Resolves when earlier in-flight calls count again, their callbacks are restored, and the followers of the lanes run. */
  async start(lanes: readonly string[]): Promise<void> {
    const { log, store, clock } = this.deps;
    const now_ms = () => clock.now_ms();
    const resume = new Resume({ log, store, decoder: this.decoder, now_ms }, this.watchedCalls, this.parts.callbacks);
    const topics = this.follower.topics(lanes);
    for (const at of await resume.newest(lanes, topics)) this.parts.answered.note(at);
    await this.follower.start(lanes, await resume.run(lanes, topics));
    await resume.done();
    await this.connect(lanes);
  }

  /** As `start`, for a process that resumes its calls from its own records: it restores no call and sends no callback of another process. */
  async startWithoutCallbacks(lanes: readonly string[]): Promise<void> {
    await this.follower.start(lanes, 'head');
    await this.connect(lanes);
  }

  private async connect(lanes: readonly string[]): Promise<void> {
    const { wake_ups, codec, clock } = this.deps;
    const now_ms = () => clock.now_ms();
    await followProgress(wake_ups, lanes, this.watchedCalls);
    await takeHints(wake_ups, lanes, { watchedCalls: this.watchedCalls, codec, now_ms });
    this.shares = await shareInFlight(this.deps, this.watchedCalls);
  }

  async close(): Promise<void> {
    this.parts.callbacks.close();
    this.shares?.close();
    await this.follower.close();
    this.wheel.close();
  }
}
