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

/** A call to decide, with its decision so far. */
export type Answered = readonly [Question, Judged];

const asksLimits = ([, { judgement, demands }]: Answered): boolean =>
  demands.length > 0 && (judgement.effect === 'allow' || judgement.effect === 'require_approval');

const isAnother = (holder: KeyHolder | undefined, call_id: string): boolean => holder !== undefined && holder.call_id !== call_id;

/** A call with the key of an earlier call in the same batch: it shares that call's result and reserves nothing. */
function follow([question, judged]: Answered, [leader, led]: Answered): void {
  const { effect } = led.judgement;
  const same_inputs = leader.call.discriminating_digest === question.call.discriminating_digest;
  if (effect === 'allow') judged.key_holder = { call_id: leader.call_id, same_inputs };
  else if (effect !== 'require_approval') judged.judgement = led.judgement;
}

/** Applies limits and prerequisites to decided calls. Changes only the decisions that they affect. */
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

  /** Adds the ledger of an opened partition: restores the database from it, and from now on settles its ended calls. */
  async open(where: Where, ledger: LimitLedger): Promise<void> {
    await this.book.restore(where, unsettled(ledger));
    await this.orphans.find(where, ledger);
    this.ledgers.add(ledger);
  }

  close(ledger: LimitLedger): void {
    this.ledgers.delete(ledger);
    this.orphans.forget(ledger);
  }

  /** Background work of each turn: settles ended calls, releases orphaned reservations, deletes old ones. */
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

  /** Defers calls whose prerequisites have not succeeded. No I/O if no call has prerequisites. */
  async prerequisites(answered: readonly Answered[]): Promise<void> {
    const waiting = answered.filter(([{ call }, { judgement }]) => judgement.effect !== 'deny' && dependsOn(call).length > 0);
    if (waiting.length === 0) return;
    const dependent = ([{ tenant_id, call, at_ms }]: Answered): Dependent => ({ tenant_id, call, at_ms });
    const statuses = await prerequisiteStatuses(this.sql, waiting.map(dependent));
    for (const one of waiting) one[1].judgement = prerequisiteRuling(dependent(one), statuses, one[1].judgement) ?? one[1].judgement;
  }

  /** True if a limit needs the key holder of a call: a call that repeats another reserves nothing. */
  needsHolder(one: Answered): boolean {
    const [{ call, key_is_known, held_by }] = one;
    return asksLimits(one) && !isReadOnly(call.effect_class) && !key_is_known && held_by === undefined;
  }

  /** Makes the reservations of calls, or denies or defers them. No I/O if no limit applies. @throws InfrastructureFault */
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

  /** Calls whose grants are used up now need approval: checks their remaining limits. */
  private async askWithoutGrants(where: Where, answered: readonly Answered[]): Promise<void> {
    const left = answered.filter((one) => one[1].grants_used_up === true && asksLimits(one));
    if (left.length > 0) await this.ask(where, left, true);
  }

  /** @returns the refused calls that may succeed after the known ended calls are settled. */
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

  /** Settles the calls that are known to have ended. @throws InfrastructureFault: a later turn settles them. */
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
