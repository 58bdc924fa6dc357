import type { ToolCall } from '@countersign/contracts';
import type { TenantRulings } from '@countersign/decisions';
import { type ConfigurationState, catalogued } from '@countersign/domain';
import type { CallHistoryReader, HistoryAsk } from '@countersign/process';

/** A call to decide. */
interface JudgedCall {
  tenant_id: string;
  call_id: string;
  call: ToolCall;
  at_ms: number;
}

/** A call with the history that its rules use; absent if no rule uses it or it is unavailable. */
export type WithHistory<Q> = Q & { history_json?: string };

const TRIES = 3;

/** Reads the history of earlier calls, only for calls whose rules use it. */
export class HistoryLookup {
  constructor(
    private readonly rulings: TenantRulings,
    private readonly historyReader: Pick<CallHistoryReader, 'read'>,
    private readonly config: () => ConfigurationState,
    private readonly warn: (fields: Record<string, unknown>, message: string) => void,
  ) {}

  /**
   * Returns the calls synchronously if no rule uses history. If history is unavailable it is absent, and conditions that use it fail.
   * @throws InfrastructureFault
   */
  of<Q extends JudgedCall>(calls: readonly Q[]): readonly WithHistory<Q>[] | Promise<readonly WithHistory<Q>[]> {
    const asks = this.requestedHistories(calls);
    return asks.size === 0 ? calls : this.read(calls, asks);
  }

  /** Reads again if the policy changed meanwhile: it may need other history. */
  private async read<Q extends JudgedCall>(calls: readonly Q[], first: ReadonlyMap<number, HistoryAsk>): Promise<WithHistory<Q>[]> {
    let asks = first;
    for (let tries = 1; ; tries++) {
      const seen = this.config().policy_offset;
      const texts = await this.historyReader.read([...asks.values()]);
      if (this.config().policy_offset === seen || tries === TRIES) return this.withTexts(calls, [...asks.keys()], texts);
      asks = this.requestedHistories(calls);
    }
  }

  private withTexts<Q extends JudgedCall>(
    calls: readonly Q[],
    indexes: readonly number[],
    texts: readonly (string | undefined)[],
  ): WithHistory<Q>[] {
    const withHistory: WithHistory<Q>[] = [...calls];
    const missing = texts.filter((text) => text === undefined).length;
    for (const [i, at] of indexes.entries()) {
      const history_json = texts[i];
      if (history_json !== undefined) withHistory[at] = { ...(calls[at] as Q), history_json };
    }
    if (missing > 0)
      this.warn(
        { event: 'history_unavailable', calls: missing },
        'rules use a history that the views do not have yet; their conditions fail',
      );
    return withHistory;
  }

  /** By the index of the call in the list. */
  private requestedHistories(calls: readonly JudgedCall[]): ReadonlyMap<number, HistoryAsk> {
    const state = this.config();
    const asks = new Map<number, HistoryAsk>();
    for (const [at, { tenant_id, call_id, call, at_ms }] of calls.entries()) {
      const tool = catalogued(state, tenant_id, call.tool, call.version);
      const uses = tool && this.rulings.historyRequested(state, tenant_id, tool.contract);
      if (uses) asks.set(at, { tenant_id, call, call_id, at_ms, uses });
    }
    return asks;
  }
}
