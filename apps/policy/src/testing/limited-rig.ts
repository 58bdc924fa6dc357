import { callId, type LimitSet, type Outcome, type ToolCall, uuidv7 } from '@countersign/contracts';
import { aMeta } from '@countersign/domain/testing/ruled-partition';
import type { EventLog } from '@countersign/event-log';
import { type PgliteStore, readCounters } from '@countersign/store';
import { PolicyRig } from './policy-rig.js';

const TABLES = ['limit_counters', 'limit_reservations', 'limit_partitions', 'policy_snapshots'];

const outcome: Outcome = {
  status: 'succeeded',
  output_json: '{}',
  error: null,
  effect: 'happened',
  started_at_ms: 1,
  ended_at_ms: 2,
  duration_ms: 1,
  retry_count: 0,
  truncated: false,
  attachments: [],
  warnings: [],
  extras: null,
};

/** For specs: policy on a real store, with limits, and with ends that the test writes. */
export class LimitedRig {
  private version = 0;

  private constructor(
    readonly rig: PolicyRig<PgliteStore>,
    private readonly store: PgliteStore,
  ) {}

  /** On a store whose limits are cleared first. */
  static async open(store: PgliteStore, wrap?: (log: EventLog) => EventLog): Promise<LimitedRig> {
    await LimitedRig.empty(store);
    return new LimitedRig(await PolicyRig.on(store, wrap), store);
  }

  static async empty(store: PgliteStore): Promise<void> {
    await store.query({ text: `TRUNCATE ${TABLES.join(', ')}`, params: [] });
    await store.query({ text: 'DELETE FROM calls', params: [] });
  }

  async limit(limit_id: string, more: Partial<LimitSet>): Promise<void> {
    await this.rig.put('limit_set', {
      meta: aMeta(null),
      limit_id,
      version: ++this.version,
      removed: false,
      kind: 'max_tool_calls',
      scope: 'tenant',
      subjects: [],
      tools: [],
      max: 10,
      window_ms: null,
      amount: null,
      per: null,
      allowed: [],
      side_effects: null,
      on_exceeded: 'deny',
      defer_timeout_ms: null,
      by: { kind: 'user', id: 'root', roles: ['admin'] },
      changed_at_ms: 0,
      ...more,
    });
    await new Promise((done) => setTimeout(done, 50));
  }

  /** The value of each counter of a limit over its whole past. */
  async used(limit_id: string): Promise<number[]> {
    const rows = await readCounters(this.store, { tenant_id: 'acme', limit_id, after: '', limit: 100 });
    return rows.map(({ slots }) => (JSON.parse(slots) as [number, number][]).reduce((sum, [, amount]) => sum + amount, 0) / 1_000_000);
  }

  async untilUsed(limit_id: string, amount: number): Promise<void> {
    await this.rig.until(async () => (await this.used(limit_id))[0] === amount);
  }

  async end(call_id: string, more: Partial<Outcome> = {}): Promise<void> {
    const meta = this.rig.meta(call_id);
    const base = { meta, idempotency_key: 'k', tool: 'note', version: '1.0.0', epoch: 1, also: null, outcome: { ...outcome, ...more } };
    const source = { topic: 'policy-decided', offset: 0 };
    if (more.status === 'in_doubt') await this.rig.put('tool_call_in_doubt', { ...base, source }, meta.partition);
    else await this.rig.put('tool_executed', { ...base, decision_id: 'd', revision: 1, source }, meta.partition);
  }

  async resolve(call_id: string, more: Partial<Outcome>): Promise<void> {
    const meta = this.rig.meta(call_id);
    const by = { idempotency_key: 'k', by: 'person', principal: null, reason: 'seen', source: null, also: null } as const;
    await this.rig.put('tool_call_resolved', { meta, ...by, outcome: { ...outcome, ...more } }, meta.partition);
  }

  /** Concurrent requests of `note` over both partitions. */
  requests(count: number, more: Partial<ToolCall> = {}): Promise<string[]> {
    return Promise.all(Array.from({ length: count }, (_, i) => this.rig.request('note', more, callId(i % 2, uuidv7(this.rig.now())))));
  }

  ruling(call_id: string) {
    return this.rig.seen(call_id, 'policy_decided');
  }

  /** Waits for the decision on this revision. */
  async rulingOf(call_id: string, revision: number) {
    const rulings = async () =>
      (await this.rig.ofCall(call_id)).flatMap((seen) => (seen.event_type === 'policy_decided' ? [seen.event] : []));
    await this.rig.until(async () => (await rulings()).some((event) => event.revision === revision));
    return (await rulings()).filter((event) => event.revision === revision);
  }
}
