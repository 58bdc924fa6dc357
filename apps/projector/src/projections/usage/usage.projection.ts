import { type CallState, DAY_MS, HOUR_MS, latencyBucket, type UsageFact, usageFacts, usageMeasures } from '@countersign/domain';
import { type CorrectionWrite, type Statement, usageTables as set, upsertCorrections } from '@countersign/store';
import { type Change, inChunks, type PendingRows, type Projection, storable } from '../projection.js';
import { replayOf } from './replayed-answer.js';
import { SummedRows } from './summed-rows.js';

const ONE = [1];

/** The month of a time as yyyymm. */
function monthOf(at_ms: number): number {
  const at = new Date(at_ms);
  return at.getUTCFullYear() * 100 + at.getUTCMonth() + 1;
}

class PendingUsage implements PendingRows {
  private readonly hours = new SummedRows('usage_hours');
  private readonly latency = new SummedRows('usage_latency');
  private readonly lines = new SummedRows('usage_lines');
  private readonly replays = new SummedRows('usage_replays');
  private readonly corrections = new Map<string, CorrectionWrite>();

  fold(change: Change): void {
    const { at, before, after } = change;
    if (after !== undefined && after !== before) {
      this.count(before, -1);
      this.count(after, 1);
    }
    const replay = replayOf(change);
    if (replay) {
      const { tenant_id, tool, version, partition, at_ms, add } = replay;
      const key = [storable(tenant_id), Math.floor(at_ms / HOUR_MS), storable(tool), storable(version), partition];
      this.replays.add(key.join('\0'), () => key, add, 1);
    }
    if (at.event_type === 'approval_mode_corrected') this.correct(at.event, at.timestamp_ms, at.offset);
  }

  private count(state: CallState | undefined, sign: 1 | -1): void {
    for (const fact of usageFacts(state)) this.countFact(state as CallState, fact, sign);
  }

  private countFact(state: CallState, { at_ms, sums, duration_us, doubted_at_ms }: UsageFact, sign: 1 | -1): void {
    const { tenant_id, partition, call } = state;
    if (!call) return;
    const { tool, version, case_id, principal } = call;
    const add = usageMeasures.map((measure) => sums[measure]);
    const hour = Math.floor(at_ms / HOUR_MS);
    const named = `${tenant_id}\0${hour}\0${tool}\0${version}`;
    const key = () => [storable(tenant_id), hour, storable(tool), storable(version)];
    this.hours.add(`${named}\0${principal.id}\0${partition}`, () => [...key(), storable(principal.id), partition], add, sign);
    if (duration_us !== null) {
      const bucket = latencyBucket(duration_us);
      this.latency.add(`${named}\0${bucket}\0${partition}`, () => [...key(), bucket, partition], ONE, sign);
    }
    const day = Math.floor(at_ms / DAY_MS);
    const corrects = doubted_at_ms !== null && monthOf(doubted_at_ms) !== monthOf(at_ms) ? monthOf(doubted_at_ms) : 0;
    this.lines.add(
      `${tenant_id}\0${day}\0${principal.id}\0${case_id ?? ''}\0${tool}\0${corrects}\0${partition}`,
      () => [storable(tenant_id), day, storable(principal.id), storable(case_id ?? ''), storable(tool), corrects, partition],
      add,
      sign,
    );
  }

  private correct(event: Extract<Change['at'], { event_type: 'approval_mode_corrected' }>['event'], at_ms: number, offset: number): void {
    const { meta, call_id, tool, version, agent, mode_effective, mode_observed, mode_corrected, reason, by } = event;
    this.corrections.set(`${meta.tenant_id}\0${call_id}`, {
      tenant_id: storable(meta.tenant_id),
      call_id: storable(call_id),
      hour: Math.floor(event.answered_at_ms / HOUR_MS),
      tool: storable(tool),
      version: storable(version),
      agent: storable(agent),
      mode_effective,
      mode_observed,
      mode_corrected,
      reason: storable(reason),
      corrected_by: storable(by.id),
      corrected_at_ms: at_ms,
      source_offset: offset,
    });
  }

  statements(): Statement[] {
    return [
      ...this.hours.statements(),
      ...this.latency.statements(),
      ...this.replays.statements(),
      ...this.lines.statements(),
      ...inChunks([...this.corrections.values()], upsertCorrections),
    ];
  }
}

/** Usage by hour and tool, by day, and by case: a few row additions per write. */
export const usage: Projection = { set, empty: () => new PendingUsage() };
