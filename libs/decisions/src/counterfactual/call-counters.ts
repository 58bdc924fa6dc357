import { Counters, type Demand } from '@countersign/domain';

/** What other calls added to a slot of a counter, and took from it. Millionths. */
export interface SlotSum {
  counter: string;
  slot_ms: number;
  window_ms: number | null;
  added_micro: number;
  removed_micro: number;
}

/** What other calls had counted since the limits were asked before, when this revision of a call asked for the n-th time. */
export interface CountedElsewhere {
  call_id: string;
  revision: number;
  ask: number;
  sums: SlotSum[];
}

/** A revision of a call that asks limits. */
export interface LimitAsker {
  call_id: string;
  revision: number;
  demands: readonly Pick<Demand, 'counter'>[];
}

/** Counters in memory that know which call asks and which call counts. */
export class CallCounters extends Counters {
  constructor() {
    super(new Map());
  }

  /** A call is about to ask these counters. */
  asked(_asker: LimitAsker): void {}

  /** What follows is counted for this call. */
  counting(_call_id: string): void {}
}

/** Numbers the asks of each revision. */
class Asks {
  private readonly numbers = new Map<string, number>();

  next({ call_id, revision }: Pick<LimitAsker, 'call_id' | 'revision'>): number {
    const key = `${call_id}.${revision}`;
    const number = (this.numbers.get(key) ?? 0) + 1;
    this.numbers.set(key, number);
    return number;
  }
}

/** What other calls counted since the counter was asked: by slot, and which calls. */
interface Pending {
  slots: Map<number, SlotSum>;
  by: Set<string>;
}

/** Counters that note what calls other than `own` count, summed up to each time that a call of `own` asks. */
export class NotedCounters extends CallCounters {
  readonly noted: CountedElsewhere[] = [];
  /** The other calls whose amounts are in the sums. */
  readonly others = new Set<string>();
  private readonly asks = new Asks();
  private readonly pending = new Map<string, Pending>();
  private call_id = '';

  constructor(private readonly own: ReadonlySet<string>) {
    super();
  }

  override counting(call_id: string): void {
    this.call_id = call_id;
  }

  override put(counter: string, slot_ms: number, amount_micro: number, window_ms: number | null): void {
    super.put(counter, slot_ms, amount_micro, window_ms);
    if (amount_micro === 0 || this.own.has(this.call_id)) return;
    const { slots, by } = this.pending.get(counter) ?? { slots: new Map<number, SlotSum>(), by: new Set<string>() };
    by.add(this.call_id);
    const sum = slots.get(slot_ms) ?? { counter, slot_ms, window_ms, added_micro: 0, removed_micro: 0 };
    if (amount_micro > 0) sum.added_micro += amount_micro;
    else sum.removed_micro -= amount_micro;
    slots.set(slot_ms, sum);
    this.pending.set(counter, { slots, by });
  }

  override asked({ call_id, revision, demands }: LimitAsker): void {
    if (!this.own.has(call_id)) return;
    const ask = this.asks.next({ call_id, revision });
    const sums: SlotSum[] = [];
    for (const counter of new Set(demands.map((demand) => demand.counter))) {
      const { slots, by } = this.pending.get(counter) ?? { slots: new Map<number, SlotSum>(), by: [] };
      sums.push(...[...slots.values()].sort((a, b) => a.slot_ms - b.slot_ms));
      for (const other of by) this.others.add(other);
      this.pending.delete(counter);
    }
    if (sums.length > 0) this.noted.push({ call_id, revision, ask, sums });
  }
}

/** Counters that take what other calls counted from sums, before each call that asks. */
export class GivenCounters extends CallCounters {
  private readonly asks = new Asks();
  private readonly given = new Map<string, readonly SlotSum[]>();

  constructor(counted: readonly CountedElsewhere[]) {
    super();
    for (const { call_id, revision, ask, sums } of counted) this.given.set(`${call_id}.${revision}.${ask}`, sums);
  }

  override asked({ call_id, revision }: LimitAsker): void {
    const ask = this.asks.next({ call_id, revision });
    for (const { counter, slot_ms, window_ms, added_micro, removed_micro } of this.given.get(`${call_id}.${revision}.${ask}`) ?? []) {
      this.put(counter, slot_ms, added_micro, window_ms);
      this.put(counter, slot_ms, -removed_micro, window_ms);
    }
  }
}
