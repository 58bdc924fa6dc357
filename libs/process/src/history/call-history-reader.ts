import { callTopics, laneTopic, parseCallId, type ToolCall } from '@countersign/contracts';
import type { EventLog } from '@countersign/event-log';
import { agentHistory, type HistoryScope, type HistoryUses, historyText, scopeHistory } from '@countersign/policy';
import {
  type AgentAsk,
  agentCounts,
  callsByStatus,
  hasPassed,
  type LogPosition,
  projectionPosition,
  readBuilds,
  type ScopeAsk,
  type Store,
  usedBefore,
} from '@countersign/store';

const WAIT_MAX_MS = 1_000;
const PAUSE_MS = 5;
const HOUR_MS = 3_600_000;
/** The projections from which history is read. */
const READ_FROM = ['call', 'usage'];

/** A call whose rules use its history. */
export interface HistoryAsk {
  tenant_id: string;
  call: Pick<ToolCall, 'tool' | 'case_id' | 'run_id' | 'principal' | 'lane'>;
  /** The call, which is not counted itself; null: it does not exist (yet). */
  call_id: string | null;
  /** End of the windows, epoch ms: they include the hour of this time. */
  at_ms: number;
  uses: HistoryUses;
}

export interface HistoryParts {
  log: EventLog;
  store: Store;
  monotonic_ms(): number;
  /** Resolves when the records of this process are on the log; absent: it writes none that count. */
  said?(): Promise<unknown>;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * The recorded history of earlier calls, for conditions that use `history` (docs/how-to/policies.md). Reads the views once they include
 * everything that was on the log at the time of the request: decisions, results and requests of every instance. Waits at most a second;
 * if the views are still behind, the history is not available and a condition that uses it is an error.
 */
export class CallHistoryReader {
  private built = false;

  constructor(private readonly parts: HistoryParts) {}

  /** Histories in the order of the requests, in their recorded form; undefined: not available now. @throws InfrastructureFault */
  async read(asks: readonly HistoryAsk[]): Promise<(string | undefined)[]> {
    if (!(await this.current(new Set(asks.map(({ call }) => call.lane))))) return asks.map(() => undefined);
    const results: Record<string, unknown>[] = asks.map(() => ({}));
    await Promise.all([
      this.scopes('case', asks, results),
      this.scopes('run', asks, results),
      this.agents(asks, results),
      this.firstUses(asks, results),
    ]);
    return results.map(historyText);
  }

  private async scopes(scope: 'case' | 'run', asks: readonly HistoryAsk[], results: Record<string, unknown>[]): Promise<void> {
    const wanted: ScopeAsk[] = [];
    asks.forEach(({ tenant_id, call, call_id, uses }, n) => {
      const id = scope === 'case' ? call.case_id : call.run_id;
      if (id !== null && uses.scopes.has(scope)) wanted.push({ n, tenant_id, id, own: (call_id && parseCallId(call_id)?.uuid) || null });
    });
    if (wanted.length === 0) return;
    const rows = await callsByStatus(this.parts.store, scope, wanted);
    for (const { n } of wanted) {
      const { uses } = asks[n] as HistoryAsk;
      (results[n] as Record<string, unknown>)[scope] = scopeHistory(
        uses,
        rows.filter((row) => row.n === n),
      );
    }
  }

  private async agents(asks: readonly HistoryAsk[], results: Record<string, unknown>[]): Promise<void> {
    const wanted = agentsOf(asks, 'agent');
    if (wanted.length === 0) return;
    const rows = await agentCounts(this.parts.store, wanted);
    for (const { n } of wanted) {
      const { uses } = asks[n] as HistoryAsk;
      (results[n] as Record<string, unknown>).agent = agentHistory(
        uses,
        rows.filter((row) => row.n === n),
      );
    }
  }

  private async firstUses(asks: readonly HistoryAsk[], results: Record<string, unknown>[]): Promise<void> {
    const wanted = agentsOf(asks, 'first_use_of_tool');
    if (wanted.length === 0) return;
    const used = await usedBefore(this.parts.store, wanted);
    for (const { n } of wanted) (results[n] as Record<string, unknown>).first_use_of_tool = !used.has(n);
  }

  /** Waits for the views. @returns false if they are behind or being built */
  private async current(lanes: ReadonlySet<string>): Promise<boolean> {
    const { store, monotonic_ms, said } = this.parts;
    const until = monotonic_ms() + WAIT_MAX_MS;
    if (said) await Promise.race([said(), pause(WAIT_MAX_MS)]);
    const heads = await this.heads(lanes);
    for (;;) {
      if (hasPassed(await projectionPosition(store), heads)) return this.isBuilt();
      if (monotonic_ms() >= until) return false;
      await pause(PAUSE_MS);
    }
  }

  private async heads(lanes: ReadonlySet<string>): Promise<LogPosition[]> {
    const { log } = this.parts;
    const partitions = [...lanes].flatMap((lane) =>
      callTopics.flatMap((name) => {
        const topic = laneTopic(name, lane);
        return Array.from({ length: log.partitions(topic) }, (_, partition) => ({ topic, partition }));
      }),
    );
    const heads = await Promise.all(partitions.map(async (at) => ({ ...at, offset: (await log.head(at.topic, at.partition)) - 1 })));
    return heads.filter(({ offset }) => offset >= 0);
  }

  /** False while the views are folded for the first time and are incomplete. */
  private async isBuilt(): Promise<boolean> {
    if (this.built) return true;
    const builds = await readBuilds(this.parts.store);
    this.built = READ_FROM.every((name) => builds.some(({ projection, state }) => projection === name && state === 'live'));
    return this.built;
  }
}

function agentsOf(asks: readonly HistoryAsk[], scope: HistoryScope): AgentAsk[] {
  const wanted: AgentAsk[] = [];
  asks.forEach(({ tenant_id, call, at_ms, uses }, n) => {
    if (uses.scopes.has(scope)) wanted.push({ n, tenant_id, agent: call.principal.id, hour: Math.floor(at_ms / HOUR_MS), tool: call.tool });
  });
  return wanted;
}
