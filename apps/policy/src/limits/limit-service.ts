import { isReadOnly } from '@countersign/contracts';
import {
  afterWaiting,
  canWait,
  type Dependent,
  dependsOn,
  exceededRuling,
  isGrantDemand,
  type Judged,
  prerequisiteRuling,
  type Question,
  unsettled,
  withoutGrants,
} from '@countersign/decisions';
import { forgetSettled, type Held, type KeyHolder, type LimitLedger, type LimitVerdict } from '@countersign/domain';
import type { Sql } from '@countersign/store';
import type { LimitStore, TenantAsk, Where } from './limit-store.js';
import { Orphans } from './orphans.js';
import { prerequisiteStatuses } from './prerequisite-statuses.js';

/** A question with the answer so far. */
export type Answered = readonly [Question, Judged];

const asksLimits = ([, { judgement, demands }]: Answered): boolean =>
  demands.length > 0 && (judgement.effect === 'allow' || judgement.effect === 'require_approval');

const isAnother = (holder: KeyHolder | undefined, call_id: string): boolean => holder !== undefined && holder.call_id !== call_id;

/** A call of the same key in the same batch: it shares what became of the first one, and reserves nothing. */
function follow([question, judged]: Answered, [leader, led]: Answered): void {
  const { effect } = led.judgement;
  const same_inputs = leader.call.discriminating_digest === question.call.discriminating_digest;
  if (effect === 'allow') judged.key_holder = { call_id: leader.call_id, same_inputs };
  else if (effect !== 'require_approval') judged.judgement = led.judgement;
}

/** What limits and waits say about calls that were judged: changes the answers that they are about and touches no other. */
export class LimitService {
  private readonly ledgers = new Set<LimitLedger>();
  private settling: Promise<void> = Promise.resolve();
  private tending = false;
  private readonly orphans: Orphans;

  constructor(
    readonly book: LimitStore,
    private readonly sql: Sql,
    private readonly warn: (fields: Record<string, unknown>, message: string) => void,
  ) {
    this.orphans = new Orphans(sql);
  }

  /** A partition begins with this ledger: its database is brought up to it, and from now on the ends of its calls are counted. */
  async open(where: Where, ledger: LimitLedger): Promise<void> {
    await this.book.restore(where, unsettled(ledger));
    await this.orphans.find(where, ledger);
    this.ledgers.add(ledger);
  }

  close(ledger: LimitLedger): void {
    this.ledgers.delete(ledger);
    this.orphans.forget(ledger);
  }

  /** What is done beside the work, each turn: ends are counted, what belongs to no call is given back, what is long over dropped. */
  tend(readAll: (lane: string) => Promise<void>): void {
    this.settleSoon();
    if (this.tending) return;
    this.tending = true;
    this.orphans
      .giveBack(readAll)
      .then(() => this.book.drop())
      .catch((cause: unknown) => this.warn({ event: 'limit_cleanup_failed', cause: String(cause) }, 'cannot clean up limits; will retry'))
      .finally(() => {
        this.tending = false;
      });
  }

  /** Calls whose prerequisites have not succeeded. No I/O where no call names any. */
  async prerequisites(answered: readonly Answered[]): Promise<void> {
    const waiting = answered.filter(([{ call }, { judgement }]) => judgement.effect !== 'deny' && dependsOn(call).length > 0);
    if (waiting.length === 0) return;
    const dependent = ([{ tenant_id, call, at_ms }]: Answered): Dependent => ({ tenant_id, call, at_ms });
    const statuses = await prerequisiteStatuses(this.sql, waiting.map(dependent));
    for (const one of waiting) one[1].judgement = prerequisiteRuling(dependent(one), statuses, one[1].judgement) ?? one[1].judgement;
  }

  /** Whether the key of a call has to be looked up for the sake of a limit: one that repeats another reserves nothing. */
  needsHolder(one: Answered): boolean {
    const [{ call, key_is_known, held_by }] = one;
    return asksLimits(one) && !isReadOnly(call.effect_class) && !key_is_known && held_by === undefined;
  }

  /** Reserves what calls need, or denies or defers them. No I/O where no limit counts any. @throws InfrastructureFault */
  async reserve(where: Where, answered: readonly Answered[]): Promise<void> {
    const leaders = new Map<string, Answered>();
    const followers: Answered[] = [];
    for (const one of answered) {
      if (!asksLimits(one)) continue;
      const [{ call, call_id, key_is_known, held_by }, judged] = one;
      judged.key_holder ??= held_by;
      if (key_is_known || isAnother(judged.key_holder, call_id)) continue;
      if (!isReadOnly(call.effect_class) && leaders.has(call.idempotency_key)) followers.push(one);
      else leaders.set(call.idempotency_key, one);
    }
    if (leaders.size === 0) return;
    const isLast = ![...this.ledgers].some(({ settling }) => settling.size > 0);
    const refused = await this.ask(where, [...leaders.values()], isLast);
    if (refused.length > 0) {
      await this.settle();
      await this.ask(where, refused, true);
    }
    await this.askWithoutGrants(where, [...leaders.values()]);
    for (const follower of followers) follow(follower, leaders.get(follower[0].call.idempotency_key) as Answered);
  }

  /** Calls whose grant has no use left ask people, and limits for what is left. */
  private async askWithoutGrants(where: Where, answered: readonly Answered[]): Promise<void> {
    const left = answered.filter((one) => one[1].grants_used_up === true && asksLimits(one));
    if (left.length > 0) await this.ask(where, left, true);
  }

  /** @returns those that were refused, where there may be room once the ends known so far are counted. */
  private async ask(where: Where, answered: readonly Answered[], isLast: boolean): Promise<Answered[]> {
    const asks = answered.map(([question, { demands }]): TenantAsk => {
      const { call_id, revision, at_ms, tenant_id } = question;
      return { call_id, revision, at_ms, tenant_id, demands };
    });
    const verdicts = await this.book.reserve(where, asks, (exceeded) => isLast && !canWait(exceeded));
    return answered.filter(([question, judged], i) => {
      const verdict = verdicts[i] as LimitVerdict;
      if (verdict.kind === 'reserved') judged.reservations = verdict.reservations;
      else if (isLast && isGrantDemand(verdict.demand)) withoutGrants(judged);
      else if (isLast) judged.judgement = afterWaiting(question.resumed, exceededRuling(verdict, judged.judgement, question.at_ms));
      else return true;
      return false;
    });
  }

  /** Counts the ends that are known so far. @throws InfrastructureFault: they are counted later. */
  settle(): Promise<void> {
    const next = this.settling.catch(() => undefined).then(() => this.settleAll());
    this.settling = next;
    return next;
  }

  settleSoon(): void {
    if (![...this.ledgers].some(({ settling }) => settling.size > 0)) return;
    this.settle().catch((cause: unknown) =>
      this.warn({ event: 'limit_settlement_failed', cause: String(cause) }, 'cannot settle the limits of ended calls; will retry'),
    );
  }

  private async settleAll(): Promise<void> {
    for (const ledger of this.ledgers) {
      const ended = [...ledger.settling].map((call_id) => [call_id, ledger.held.get(call_id) as Held] as const);
      if (ended.length === 0) continue;
      await this.book.settle(ended);
      forgetSettled(
        ledger,
        ended.map(([call_id]) => call_id),
      );
    }
  }
}
