import { callTopics, laneTopic, parseCallId, type ToolCall } from '@countersign/contracts';
import { CIRCUIT_DEFAULTS, circuitStateAt } from '@countersign/domain';
import type { EventLog } from '@countersign/event-log';
import {
  agentHistory,
  flaggedCalls,
  flaggedOfDay,
  flaggedScope,
  type HistoryScope,
  type HistoryUses,
  historyText,
  scopeHistory,
} from '@countersign/policy';
import {
  type AgentAsk,
  agentCounts,
  callsByStatus,
  circuitsFor,
  hasPassed,
  type LogPosition,
  projectionPosition,
  readBuilds,
  type ScopeAsk,
  type Store,
  usedBefore,
} from '@countersign/store';

import type { Clock } from '../clock.js';

const WAIT_MAX_MS = 1_000;
const PAUSE_MS = 5;
const HOUR_MS = 3_600_000;
/** The projections from which history is read. */
const READ_FROM = ['call', 'usage'];

/** A call whose rules use its history. */
export interface HistoryAsk {
  tenant_id: string;
  call: Pick<ToolCall, 'tool' | 'version' | 'case_id' | 'run_id' | 'principal' | 'lane'>;
  /** The call, which is not counted itself; null: it does not exist (yet). */
  call_id: string | null;
  /** End of the windows, epoch ms: they include the hour of this time. */
  at_ms: number;
  uses: HistoryUses;
}

export interface HistoryParts {
  log: EventLog;
  store: Store;
  clock: Pick<Clock, 'now_ms' | 'monotonic_ms'>;
  /** Resolves when the records of this process are on the log; absent: it writes none that count. */
  said?(): Promise<unknown>;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * The recorded history of earlier calls, for conditions that use `history` (docs/how-to/policies.md). Reads the views once they include
 * everything that was on the log at the time of the request: decisions, results and requests of every instance. Waits at most a second;
 * if the views are still behind, the history is not available and a condition that uses it is an error. The circuit of a tool is read from
 * its row and waits for no view.
 */
export class CallHistoryReader {
  private built = false;

  constructor(private readonly parts: HistoryParts) {}

  /** Histories in the order of the requests, in their recorded form; undefined: not available now. @throws InfrastructureFault */
  async read(asks: readonly HistoryAsk[]): Promise<(string | undefined)[]> {
    const counting = asks.filter(usesViews);
    if (counting.length > 0 && !(await this.current(new Set(counting.map(({ call }) => call.lane))))) return this.withoutViews(asks);
    const results: Record<string, unknown>[] = asks.map(() => ({}));
    await Promise.all([
      this.circuits(asks, results),
      this.scopes('case', asks, results),
      this.scopes('run', asks, results),
      this.agents(asks, results),
      this.firstUses(asks, results),
      this.flagged(asks, results),
    ]);
    return results.map(historyText);
  }

  /** Views that are behind take no history from calls whose rules do not use them. */
  private async withoutViews(asks: readonly HistoryAsk[]): Promise<(string | undefined)[]> {
    const results: Record<string, unknown>[] = asks.map(() => ({}));
    await this.circuits(asks, results);
    return asks.map((ask, n) => (usesViews(ask) ? undefined : historyText(results[n] as Record<string, unknown>)));
  }

  private async circuits(asks: readonly HistoryAsk[], results: Record<string, unknown>[]): Promise<void> {
    const keyOf = ({ tenant_id, call: { tool, version } }: HistoryAsk) => ({ tenant_id, tool, version });
    const rows = await circuitsFor(this.parts.store, asks.filter(({ uses }) => uses.scopes.has('circuit')).map(keyOf));
    const now_ms = this.parts.clock.now_ms();
    asks.forEach((ask, n) => {
      if (!ask.uses.scopes.has('circuit')) return;
      const { tenant_id, tool, version } = keyOf(ask);
      const row = rows.find((one) => one.tenant_id === tenant_id && one.tool === tool && one.version === version);
      (results[n] as Record<string, unknown>).circuit = circuitStateAt(row, now_ms, CIRCUIT_DEFAULTS);
    });
  }

  private async scopes(scope: 'case' | 'run', asks: readonly HistoryAsk[], results: Record<string, unknown>[]): Promise<void> {
    const wanted = scopesOf(asks, scope, ({ uses }) => uses.scopes.has(scope));
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

  /** Flagged answers of the run of each call; without a run of its case, without both of its principal in the last day. */
  private async flagged(asks: readonly HistoryAsk[], results: Record<string, unknown>[]): Promise<void> {
    const in_scope = (scope: string) => (ask: HistoryAsk) => ask.uses.scopes.has('flagged') && flaggedScope(ask.call) === scope;
    const agents = agentsOf(asks, 'flagged').filter(({ n }) => flaggedScope((asks[n] as HistoryAsk).call) === 'agent');
    const counts = agents.length === 0 ? [] : await agentCounts(this.parts.store, agents);
    for (const { n } of agents) (results[n] as Record<string, unknown>).flagged = flaggedOfDay(counts.filter((row) => row.n === n));
    for (const scope of ['run', 'case'] as const) {
      const wanted = scopesOf(asks, scope, in_scope(scope));
      const rows = wanted.length === 0 ? [] : await callsByStatus(this.parts.store, scope, wanted);
      for (const { n } of wanted) (results[n] as Record<string, unknown>).flagged = flaggedCalls(rows.filter((row) => row.n === n));
    }
  }

  /** Waits for the views. @returns false if they are behind or being built */
  private async current(lanes: ReadonlySet<string>): Promise<boolean> {
    const { store, clock, said } = this.parts;
    const until = clock.monotonic_ms() + WAIT_MAX_MS;
    if (said) await Promise.race([said(), pause(WAIT_MAX_MS)]);
    const heads = await this.heads(lanes);
    for (;;) {
      if (hasPassed(await projectionPosition(store), heads)) return this.isBuilt();
      if (clock.monotonic_ms() >= until) return false;
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

const usesViews = ({ uses }: HistoryAsk): boolean => [...uses.scopes].some((scope) => scope !== 'circuit');

function scopesOf(asks: readonly HistoryAsk[], scope: 'case' | 'run', uses: (ask: HistoryAsk) => boolean): ScopeAsk[] {
  const wanted: ScopeAsk[] = [];
  asks.forEach((ask, n) => {
    const { tenant_id, call, call_id } = ask;
    const id = scope === 'case' ? call.case_id : call.run_id;
    if (id !== null && uses(ask)) wanted.push({ n, tenant_id, id, own: (call_id && parseCallId(call_id)?.uuid) || null });
  });
  return wanted;
}

function agentsOf(asks: readonly HistoryAsk[], scope: HistoryScope): AgentAsk[] {
  const wanted: AgentAsk[] = [];
  asks.forEach(({ tenant_id, call, at_ms, uses }, n) => {
    if (uses.scopes.has(scope)) wanted.push({ n, tenant_id, agent: call.principal.id, hour: Math.floor(at_ms / HOUR_MS), tool: call.tool });
  });
  return wanted;
}
