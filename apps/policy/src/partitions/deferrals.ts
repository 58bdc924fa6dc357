import { dueDeferrals, hasEnded, type WaitedFor } from '@countersign/decisions';
import { callStatuses, databaseTime, type Sql } from '@countersign/store';
import type { RulingPartition } from './ruling-partition.js';

/** Maximum of waiting calls of one partition that are decided again in one turn. */
const AT_ONCE = 200;

/** Decides waiting calls again when their condition is met or their time is over. Sends no query while no call waits. */
export class Deferrals {
  constructor(private readonly sql: Sql) {}

  /** @throws InfrastructureFault: calls that are due stay due for the next turn. */
  async turn(partitions: readonly RulingPartition[]): Promise<void> {
    const waiting = partitions.filter(({ state }) => state.limits.deferred.size > 0);
    if (waiting.length === 0) return;
    const now_ms = await databaseTime(this.sql);
    const ended = await this.endedCalls(waiting);
    for (const partition of waiting) {
      const due = dueDeferrals(partition.state.limits, now_ms, ended).slice(0, AT_ONCE);
      if (due.length > 0) await partition.resume(due, now_ms);
    }
  }

  private async endedCalls(waiting: readonly RulingPartition[]): Promise<WaitedFor> {
    const awaited = new Map<string, Set<string>>();
    for (const { state } of waiting)
      for (const { meta, deferral } of state.limits.deferred.values()) {
        if (deferral.call_ids.length === 0) continue;
        const ids = awaited.get(meta.tenant_id) ?? new Set();
        for (const call_id of deferral.call_ids) ids.add(call_id);
        awaited.set(meta.tenant_id, ids);
      }
    const ended = new Set<string>();
    for (const [tenant_id, ids] of awaited)
      for (const [call_id, status] of await callStatuses(this.sql, tenant_id, [...ids]))
        if (hasEnded(status)) ended.add(`${tenant_id}/${call_id}`);
    return { has: (tenant_id, call_id) => ended.has(`${tenant_id}/${call_id}`) };
  }
}
