import type { AnswerMetric, CallBoard, Callbacks, CallDesk, TimerWheel } from '@countersign/calls';
import type { Clock } from '@countersign/process';
import type { LogPosition } from '@countersign/store';
import type { AnsweredPositions } from './positions.js';

/** What open requests share. */
export class CallRoom {
  constructor(
    readonly board: CallBoard,
    readonly wheel: TimerWheel,
    readonly clock: Clock,
    private readonly parts: { desk: CallDesk; answered: AnsweredPositions; callbacks: Callbacks; metric: AnswerMetric },
  ) {}

  measured(status: string, waited_ms: number): void {
    this.parts.metric.answered(status, waited_ms);
  }

  /** Remembers that this record is part of an answer. False for a hint, whose place is not known yet. */
  noted(at: LogPosition): boolean {
    if (at.offset < 0) return false;
    this.parts.answered.note(at);
    return true;
  }

  /** Reads the view, unless somebody read it for this call within `fresh_ms`. A store that is away changes nothing: the next turn asks again. */
  refresh(tenantId: string, callId: string, fresh_ms: number): void {
    if (!this.board.shouldRead(callId, this.clock.monotonic_ms(), fresh_ms)) return;
    this.parts.desk.refresh(tenantId, callId).catch(() => undefined);
  }

  /** The call is on the board: whoever it names is told when it ends. */
  owe(callId: string, tenantId: string): void {
    this.parts.callbacks.watch(callId, tenantId);
  }
}
