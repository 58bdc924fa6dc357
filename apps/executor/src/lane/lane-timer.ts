import type { Claims } from '../claims/claims.js';
import type { OwnConfiguration } from '../judging/judge.js';
import type { PreExecutionGate } from '../judging/pre-execution-gate.js';
import type { Lease } from '../lease/lease.js';
import type { Pipeline } from '../pipeline/pipeline.js';
import type { CallRunner } from '../running/call-runner.js';
import type { Dispatcher } from '../scheduling/dispatcher.js';
import type { BackgroundWork } from './background-work.js';
import type { LaneUpkeep } from './lane-upkeep.js';
import type { Slots } from './slots.js';

const TICK_MS = 20;
const FOLD_TICKS = 10;
const TAIL_TICKS = 5;
const SWEEP_TICKS = 50;

/** Calls that may be due. */
export interface TimedCalls {
  configuration: OwnConfiguration;
  gate: PreExecutionGate;
  runs: CallRunner;
  dispatcher: Dispatcher;
  slots: Slots;
  claims: Claims;
}

/** The single timer of a lane: continues due calls and starts due upkeep. */
export class LaneTimer {
  private timer: NodeJS.Timeout | undefined;
  private ticks = 0;
  /** The revocation epoch at the last sweep of waiting calls. */
  private swept_epoch = 0;

  constructor(
    private readonly lease: Lease,
    private readonly pipeline: Pipeline,
    private readonly calls: TimedCalls,
    private readonly upkeep: LaneUpkeep,
    private readonly background: BackgroundWork,
  ) {}

  start(): void {
    this.timer = setInterval(() => this.tick(), TICK_MS);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private tick(): void {
    this.ticks++;
    if (this.lease.check()) this.work();
    // Timeouts of running calls apply even while the lease is unproven.
    else if (this.lease.unproven) this.pipeline.handleAll(this.calls.runs.due());
    if (this.ticks % FOLD_TICKS === 0) this.background.once('fold', () => this.upkeep.fold());
  }

  private work(): void {
    const { gate, runs, dispatcher, slots, claims } = this.calls;
    this.pipeline.handleAll(gate.due().map((job) => ({ job, event: 'look_again' })));
    this.pipeline.handleAll(runs.due());
    const longReads = runs.longReads();
    if (longReads.length > 0) this.background.once('reads', () => claims.keepReading(longReads));
    this.sweepWaiting();
    if (dispatcher.hasDue) this.background.once('parked', () => this.lookAtParked());
    slots.give();
    if (this.ticks % SWEEP_TICKS === 0) this.background.once('sweep', () => this.upkeep.takeOver());
    if (this.ticks % TAIL_TICKS === 0) this.background.once('tail', () => this.upkeep.readTails(this.ticks % SWEEP_TICKS === 0));
  }

  /** Removes waiting calls that may no longer run, after a change of what may run. */
  private sweepWaiting(): void {
    const { configuration, dispatcher } = this.calls;
    const { revocation_epoch } = configuration.state;
    if (revocation_epoch !== this.swept_epoch) this.pipeline.handleAll(dispatcher.sweep());
    this.swept_epoch = revocation_epoch;
  }

  /** Writes local ends to their rows before the calls that wait for them claim again. */
  private async lookAtParked(): Promise<void> {
    const { dispatcher, slots } = this.calls;
    await this.upkeep.fold();
    this.pipeline.handleAll(dispatcher.parkedDue().map((job) => ({ job, event: 'pause_over' })));
    slots.give();
  }
}
