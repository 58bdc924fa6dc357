import { type AuditEvent, auditEventOf, type CallFacts, callFacts, saysItsCall, unpackCall } from '@countersign/domain';
import { loadCallStates, type Store, stableTables, waitForPosition } from '@countersign/store';
import type { Merged } from './log-merge.js';
import type { Refusals } from './refusals.js';

const TIMEOUT_MS = 1_000;
const KEPT_MAX = 20_000;

const calls = stableTables(['calls']);

/** The views have not processed the requested records yet. */
export class ViewsBehind extends Error {}

/** Adds the call data to audit events, with one query for many events. */
export class FactsOfCalls {
  private readonly facts = new Map<string, CallFacts>();

  constructor(
    private readonly store: Store,
    private readonly refusals: Refusals,
    private readonly timeout_ms = TIMEOUT_MS,
  ) {}

  /** @throws ViewsBehind */
  async complete(merged: readonly Merged[]): Promise<AuditEvent[]> {
    const unknown = merged.filter(({ at }) => this.lacks(at));
    await this.load(unknown);
    const missing = unknown.filter(({ at }) => this.lacks(at));
    if (missing.length > 0) {
      if (!(await waitForPosition(this.store, latest(missing), this.timeout_ms))) throw new ViewsBehind('the views are behind the log');
      await this.load(missing);
    }
    const events: AuditEvent[] = [];
    for (const { at } of merged) {
      const known = this.refusals.canBeRefused(at) ? await this.refusals.marked(at) : at;
      events.push(auditEventOf(known, this.facts.get(at.event.meta.call_id ?? '')));
    }
    return events;
  }

  private lacks(at: Merged['at']): boolean {
    return !saysItsCall(at) && !this.facts.has(at.event.meta.call_id as string);
  }

  private async load(merged: readonly Merged[]): Promise<void> {
    const call_ids = [...new Set(merged.map(({ at }) => at.event.meta.call_id as string))];
    if (call_ids.length === 0) return;
    if (this.facts.size > KEPT_MAX) this.facts.clear();
    for (const [call_id, state] of await loadCallStates(calls.of(this.store), call_ids)) {
      this.facts.set(call_id, callFacts(unpackCall(state)));
    }
  }
}

/** The newest of these records, for each partition of each topic. */
function latest(merged: readonly Merged[]): { topic: string; partition: number; offset: number }[] {
  const newest = new Map<string, { topic: string; partition: number; offset: number }>();
  for (const { topic, partition, offset } of merged.map(({ record }) => record))
    newest.set(`${topic}/${partition}`, { topic, partition, offset });
  return [...newest.values()];
}
