import type { Clock } from '@countersign/process';
import type { LogPosition } from '@countersign/store';
import type { CallRecorder } from '../recording/call-recorder.js';
import type { AnsweredPositions } from '../views/answered-positions.js';
import type { AnswerMetric } from '../waiting/answer-metric.js';
import type { TimerWheel } from '../waiting/timer-wheel.js';
import type { WatchedCalls } from '../waiting/watched-calls.js';

/** Shared by all waiters and followers of calls. */
export class CallTracker {
  constructor(
    readonly watchedCalls: WatchedCalls,
    readonly wheel: TimerWheel,
    readonly clock: Clock,
    private readonly parts: { recorder: CallRecorder; answered: AnsweredPositions; metric: AnswerMetric },
  ) {}

  measured(status: string, waited_ms: number): void {
    this.parts.metric.answered(status, waited_ms);
  }

  /** Notes that this record is part of an answer. False for a hint, whose log position is not known yet. */
  noted(at: LogPosition): boolean {
    if (at.offset < 0) return false;
    this.parts.answered.note(at);
    return true;
  }

  /** Reads the call from the view, unless that happened within `fresh_ms`. If the store is unavailable, the next refresh reads again. */
  refresh(tenantId: string, callId: string, fresh_ms: number): void {
    if (!this.watchedCalls.shouldRead(callId, this.clock.monotonic_ms(), fresh_ms)) return;
    this.parts.recorder.refresh(tenantId, callId).catch(() => undefined);
  }
}
