import type { ToolCall } from '@countersign/contracts';
import type { TenantRulings } from '@countersign/decisions';
import { type ConfigurationState, catalogued } from '@countersign/domain';
import type { HistoryAsk, HistoryBook } from '@countersign/process';

/** A call that is judged. */
interface JudgedCall {
  /** Of the record that asks: names it in what is told. */
  offset: number;
  tenant_id: string;
  call_id: string;
  call: ToolCall;
  at_ms: number;
}

const TRIES = 3;

/** What the rules about calls are told of earlier ones; only for those whose rules ask. */
export class ToldHistories {
  constructor(
    private readonly rulings: TenantRulings,
    private readonly book: Pick<HistoryBook, 'read'>,
    private readonly config: () => ConfigurationState,
    private readonly warn: (fields: Record<string, unknown>, message: string) => void,
  ) {}

  /**
   * By the offsets of the calls' records; undefined, and no wait, where no rule asks. What cannot be told is missing: the
   * conditions that ask for it err. @throws InfrastructureFault
   */
  of(calls: readonly JudgedCall[]): Promise<ReadonlyMap<number, string>> | undefined {
    const asks = this.asked(calls);
    return asks.size === 0 ? undefined : this.read(calls, asks);
  }

  /** Reads again where the policy changed meanwhile: it may ask for something else. */
  private async read(calls: readonly JudgedCall[], first: ReadonlyMap<number, HistoryAsk>): Promise<ReadonlyMap<number, string>> {
    let asks = first;
    for (let tries = 1; ; tries++) {
      const seen = this.config().policy_offset;
      const texts = await this.book.read([...asks.values()]);
      if (this.config().policy_offset !== seen && tries < TRIES) {
        asks = this.asked(calls);
        continue;
      }
      const told = new Map<number, string>();
      [...asks.keys()].forEach((offset, i) => {
        const text = texts[i];
        if (text !== undefined) told.set(offset, text);
      });
      if (told.size < asks.size)
        this.warn({ calls: asks.size - told.size }, 'rules ask for a history that the views do not have yet: they err');
      return told;
    }
  }

  private asked(calls: readonly JudgedCall[]): ReadonlyMap<number, HistoryAsk> {
    const state = this.config();
    const asks = new Map<number, HistoryAsk>();
    for (const { offset, tenant_id, call_id, call, at_ms } of calls) {
      const tool = catalogued(state, call.tool, call.version);
      const uses = tool && this.rulings.historyAsked(state, tenant_id, tool.contract);
      if (uses) asks.set(offset, { tenant_id, call, call_id, at_ms, uses });
    }
    return asks;
  }
}
