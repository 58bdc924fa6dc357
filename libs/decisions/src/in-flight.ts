import type { LimitReservation, Meta, ToolCall } from '@countersign/contracts';
import {
  approvalOfKey,
  giveBack,
  type Held,
  type KeyHolder,
  type LimitLedger,
  type RulingDraft,
  type RulingState,
} from '@countersign/domain';
import type { Question } from './question.js';

/** Another unfinished call with the same key that has reservations: repeats of it reserve nothing. */
function holderInFlight(ledger: LimitLedger, call_id: string, call: ToolCall): KeyHolder | undefined {
  const holder = ledger.held_by_key.get(call.idempotency_key);
  if (holder === undefined || holder === call_id) return undefined;
  const same_inputs = ledger.held.get(holder)?.discriminating_digest === call.discriminating_digest;
  return { call_id: holder, same_inputs };
}

/** Releases the reservations of a call if no ruling uses them, because the call joined another one, was denied or has ended. */
export function giveBackUnused(
  ledger: LimitLedger,
  { meta, call, revision }: { meta: Meta; call: ToolCall; revision: number },
  reservations: readonly LimitReservation[],
  drafts: readonly RulingDraft[],
): void {
  if (drafts.some((draft) => draft.event_type === 'policy_decided' && draft.body.reservations.length > 0)) return;
  const { tenant_id, call_id } = meta;
  const { idempotency_key: key, discriminating_digest } = call;
  giveBack(ledger, call_id as string, { tenant_id, key, discriminating_digest, revision, reservations });
}

/** Calls with reservations and without an end in the ledger. The counters must contain these reservations. */
export function* unsettled(ledger: LimitLedger): Iterable<readonly [string, Held]> {
  for (const one of ledger.held) if (one[1].settlement === null) yield one;
}

/** Keeps the reservations of an edit that was refused after all: they are released with the call. */
export function keepTaken(
  ledger: LimitLedger,
  call_id: string,
  reservations: readonly LimitReservation[],
  drafts: readonly RulingDraft[],
): void {
  const held = ledger.held.get(call_id);
  if (!held || held.settlement !== null || drafts.some((draft) => draft.event_type === 'policy_decided')) return;
  held.reservations = reservations;
}

/** Other calls with the same effect that are in progress. */
export function holdersOf(state: RulingState, call_id: string, call: ToolCall): Pick<Question, 'key_is_known' | 'held_by'> {
  const key_is_known = approvalOfKey(state, call.idempotency_key)?.status === 'open';
  return { key_is_known, held_by: holderInFlight(state.limits, call_id, call) };
}
