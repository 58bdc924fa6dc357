import type { AnyEvent, Deferral, EventMap, LimitReservation, Meta, Outcome, ToolCall } from '@countersign/contracts';
import type { Settlement } from './state.js';

/** The reservations of a call until its end is in the counters. */
export interface Held {
  tenant_id: string;
  key: string;
  discriminating_digest: string;
  revision: number;
  reservations: readonly LimitReservation[];
  /** Null while the call has no end. */
  settlement: Settlement | null;
}

/** A call that waits to be judged again. */
export interface Deferred {
  /** Meta of its ruling. */
  meta: Meta;
  call: ToolCall;
  revision: number;
  rule: string;
  deferral: Deferral;
  /** Rules that the call has already waited for. */
  waited: readonly string[];
  traceparent: string | undefined;
}

/** The limits and deferrals of one partition: only calls with reservations and deferred calls. A fold, like RulingState. */
export interface LimitLedger {
  held: Map<string, Held>;
  /** The newest call of an idempotency key that has reservations and no end. */
  held_by_key: Map<string, string>;
  /** Ended calls whose end is not in the counters yet. */
  settling: Set<string>;
  deferred: Map<string, Deferred>;
}

export function initialLedger(): LimitLedger {
  return { held: new Map(), held_by_key: new Map(), settling: new Set(), deferred: new Map() };
}

function hold(ledger: LimitLedger, call_id: string, held: Held): void {
  ledger.held.set(call_id, held);
  if (held.settlement === null) ledger.held_by_key.set(held.key, call_id);
  else ledger.settling.add(call_id);
}

function end(ledger: LimitLedger, call_id: string, settlement: Settlement): void {
  const held = ledger.held.get(call_id);
  if (!held || held.settlement !== null) return;
  held.settlement = settlement;
  ledger.settling.add(call_id);
  if (ledger.held_by_key.get(held.key) === call_id) ledger.held_by_key.delete(held.key);
}

const RELEASED: Settlement = { kind: 'released', cost: null };

function settlementOf({ status, effect, extras }: Outcome): Settlement {
  const cost = extras?.cost ?? null;
  if (status === 'succeeded' || effect !== 'none') return { kind: 'ran', cost };
  return status === 'failed' ? { kind: 'failed', cost } : RELEASED;
}

function ruled(ledger: LimitLedger, event: EventMap['policy_decided'], traceparent: string | undefined): void {
  const { meta, call, revision, effect, reservations, rule, defer } = event;
  const call_id = meta.call_id as string;
  if (effect === 'defer' && defer) {
    const waited = event.explanation?.waited ?? [];
    ledger.deferred.set(call_id, { meta, call, revision, rule, deferral: defer, waited, traceparent });
  }
  if (effect !== 'defer' && ledger.deferred.size > 0) ledger.deferred.delete(call_id);
  if (effect !== 'deny' && reservations.length > 0) {
    const { idempotency_key: key, discriminating_digest } = call;
    hold(ledger, call_id, { tenant_id: meta.tenant_id, key, discriminating_digest, revision, reservations, settlement: null });
  } else if (ledger.held.size > 0) end(ledger, call_id, RELEASED);
}

/**
 * Folds a record of policy, or an end on tool-executed, into the ledger, in place. Returns fast if the record has nothing to do with
 * limits.
 */
export function evolveLedger(ledger: LimitLedger, published: AnyEvent, traceparent: string | undefined): void {
  if (published.event_type === 'policy_decided') {
    ruled(ledger, published.event, traceparent);
    return;
  }
  if (ledger.held.size === 0 && ledger.deferred.size === 0) return;
  switch (published.event_type) {
    case 'approval_denied':
    case 'approval_expired':
    case 'tool_retry_deduplicated':
      end(ledger, published.event.meta.call_id as string, RELEASED);
      return;
    case 'call_cancelled':
      if (!published.event.final) return;
      ledger.deferred.delete(published.event.meta.call_id as string);
      end(ledger, published.event.meta.call_id as string, RELEASED);
      return;
    case 'tool_executed':
    case 'tool_call_resolved':
      if (published.event.outcome.status !== 'in_doubt')
        end(ledger, published.event.meta.call_id as string, settlementOf(published.event.outcome));
      return;
    default:
  }
}

/** Releases the reservations of a call whose ruling does not need them. */
export function giveBack(ledger: LimitLedger, call_id: string, held: Omit<Held, 'settlement'>): void {
  hold(ledger, call_id, { ...held, settlement: RELEASED });
}

/** Forgets these calls: their ends are in the counters. */
export function forgetSettled(ledger: LimitLedger, call_ids: readonly string[]): void {
  for (const call_id of call_ids) {
    ledger.settling.delete(call_id);
    ledger.held.delete(call_id);
  }
}

/** The content of a snapshot. */
export interface LedgerText {
  held: [string, Held][];
  deferred: [string, Deferred][];
}

export function ledgerText(ledger: LimitLedger): LedgerText {
  return { held: [...ledger.held], deferred: [...ledger.deferred] };
}

export function readLedger(text: LedgerText | undefined): LimitLedger {
  const ledger = initialLedger();
  for (const [call_id, held] of text?.held ?? []) hold(ledger, call_id, held);
  for (const [call_id, deferred] of text?.deferred ?? []) ledger.deferred.set(call_id, deferred);
  return ledger;
}
