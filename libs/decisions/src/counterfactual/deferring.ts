import type { EventMap } from '@countersign/contracts';
import { hasEnded } from '../prerequisites.js';
import type { ReadEvent } from '../read-event.js';
import type { DueDeferral } from '../waiting.js';
import type { SimulatedWorld } from './simulated-world.js';

/** The polling of a service may notice a due call this much later. */
const LAG_MS = 5000;
const RECHECK_MS = 1000;
const RECHECKS_MAX = 200;

/** Schedules when waiting calls are judged again: at the recorded times, unless a call that they wait for is affected. */
export class Deferring {
  constructor(private readonly world: SimulatedWorld) {}

  /** Schedules the wake-ups of a deferred call. */
  plan({ meta, revision, defer }: EventMap['policy_decided']): void {
    if (!defer) return;
    const call_id = meta.call_id as string;
    const next = this.nextOnRecord(call_id, revision);
    if (next) this.wakeAt(this.world.records.statedAt(next), call_id, next.event.meta.hlc);
    this.wakeAt(this.lagged(defer.timeout_at_ms, next), call_id);
    if (defer.until === 'call_ended') {
      const left = defer.call_ids.filter((other) => !hasEnded(this.world.status(other) ?? 'succeeded'));
      if (left.length === 0 && !next) this.wakeAt(this.world.now_ms, call_id);
      return;
    }
    if (defer.wake_at_ms !== null) this.wakeAt(this.lagged(defer.wake_at_ms, next), call_id);
    if (defer.until === 'again') this.wakeAt(this.world.now_ms + RECHECK_MS, call_id);
  }

  /** The call was judged again and keeps waiting. */
  waitOn({ call_id, deferred }: DueDeferral): void {
    const { until, timeout_at_ms } = deferred.deferral;
    if (until !== 'again') return;
    const left_ms = timeout_at_ms - this.world.now_ms;
    if (left_ms > 0) this.wakeAt(this.world.now_ms + Math.max(RECHECK_MS, left_ms / RECHECKS_MAX), call_id);
  }

  /** A call ended: wakes the calls that wait for it or for its reservations. */
  ended(other: string): void {
    const { rulings, affected, now_ms, records } = this.world;
    for (const [call_id, { deferral, revision }] of rulings.limits.deferred) {
      const next = this.nextOnRecord(call_id, revision);
      if (deferral.until === 'call_ended') {
        if (!deferral.call_ids.includes(other) || (next && !affected.has(other))) continue;
        const then_ms = records.get(other)?.state.end?.at_ms;
        const lag_ms = next && then_ms !== undefined ? Math.max(0, records.statedAt(next) - then_ms) : 0;
        this.wakeAt(now_ms + Math.min(lag_ms, LAG_MS), call_id);
      } else if (affected.size > 0 || !next) this.wakeAt(now_ms, call_id);
    }
  }

  /** True if the wait is over but it is unknown whether its condition was met. */
  isStuck({ call_id, deferred, came }: DueDeferral): boolean {
    const other = came ? undefined : deferred.deferral.call_ids.find((one) => this.world.isUnknown(one));
    if (other === undefined) return false;
    this.world.cannotKnow(call_id, { what: 'ruling', why: 'it waits for a call whose outcome is unknown', call_id: other });
    return true;
  }

  private nextOnRecord(call_id: string, revision: number): ReadEvent<'policy_decided'> | undefined {
    return this.world.records.get(call_id)?.rulings.get(revision + 1);
  }

  /** The recorded time, if a service noticed the due time with a small lag; else the due time. */
  private lagged(at_ms: number, next: ReadEvent | undefined): number {
    const then_ms = next ? this.world.records.statedAt(next) : at_ms;
    return then_ms >= at_ms && then_ms - at_ms <= LAG_MS ? then_ms : at_ms;
  }

  private wakeAt(at_ms: number, call_id: string, order = 0): void {
    this.world.timeline.add(Math.max(at_ms, this.world.now_ms), order, { kind: 'wake', call_id });
  }
}
