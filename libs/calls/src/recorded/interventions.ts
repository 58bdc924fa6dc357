import { isReadOnly } from '@countersign/contracts';
import { type CallState, type PlacedEvent, statusOf, terminalStatuses } from '@countersign/domain';
import type { Caller } from '../caller.js';
import type { CallSealer } from '../personal/call-sealer.js';
import { Refusal } from '../refusal.js';
import { isAnswer } from '../waiting/is-answer.js';
import type { CallReader, CallReading } from './call-reader.js';
import type { RecordedCalls } from './recorded-calls.js';

/** How long the command waits for the end of the call. The command stays recorded if the time is over. */
const TIMEOUT_MS = 5_000;

interface Reached {
  state: CallState;
  at: PlacedEvent | undefined;
}

/** The result of a command. */
export interface Intervention extends CallReading {
  /** True if the call reached the state that the command leads to; false if that takes longer and the envelope shows the earlier state. */
  reached: boolean;
  /** The record that caused the new state, if known. */
  at: PlacedEvent | undefined;
}

/** The resolution of a call in doubt. */
export interface Resolution {
  resolution: 'happened' | 'did_not_happen';
  /** The output that the tool would have returned, if it happened. */
  output?: unknown;
  reason: string;
}

/** Which calls stop when their caller gives them up. */
export type Stoppable = 'reads' | 'reads_and_unfired_writes';

/** Cancels and resolves recorded calls. */
export class Interventions {
  constructor(
    private readonly calls: RecordedCalls,
    private readonly sealer: CallSealer,
    private readonly reader: CallReader,
  ) {}

  /** `only_before_fire`: an effect that may have happened is left alone, and the call goes on. */
  async cancel(
    caller: Caller,
    state: CallState,
    reason_text: string | undefined,
    only_before_fire = false,
  ): Promise<Intervention | Refusal> {
    if (!mayCancel(caller, state))
      return new Refusal('forbidden', 'an agent may cancel only its own calls; other calls need the role operator', {
        reason: 'role_missing',
      });
    const status = statusOf(state);
    if (terminalStatuses.has(status)) return new Refusal('conflict', `the call has ended: ${status}`, { reason: 'call_already_ended' });
    if (status === 'in_doubt')
      return new Refusal('conflict', 'the outcome is unknown: use /resolve; a call in doubt cannot be cancelled', {
        reason: 'call_in_doubt',
      });
    const reason = await this.sealer.text(caller.tenant_id, state.call, reason_text ?? null);
    if (reason instanceof Refusal) return reason;
    const requested_at_ms = this.calls.commands.clock.now_ms();
    const fields = { principal: caller.principal, reason, requested_at_ms, ...(only_before_fire ? { only_before_fire } : {}) };
    const reached = await this.calls.command('tool_call_cancel_requested', state, fields, { check: answered, timeout_ms: TIMEOUT_MS });
    return this.answer(caller, state, reached);
  }

  /** Stops a call whose caller has given up. @returns undefined if the call goes on. */
  async abandon(
    caller: Caller,
    state: CallState,
    reason: string | undefined,
    stops: Stoppable,
  ): Promise<Intervention | Refusal | undefined> {
    if (!state.call || isAnswer(statusOf(state))) return undefined;
    const is_read = isReadOnly(state.call.effect_class);
    return is_read || stops === 'reads_and_unfired_writes' ? this.cancel(caller, state, reason, !is_read) : undefined;
  }

  async resolve(
    caller: Caller,
    state: CallState,
    { resolution, output, reason: reason_text }: Resolution,
  ): Promise<Intervention | Refusal> {
    const status = statusOf(state);
    if (status !== 'in_doubt')
      return new Refusal('conflict', `only a call in doubt can be resolved; this call is ${status}`, { reason: 'call_not_in_doubt' });
    const original_call_id = state.end?.original_call_id ?? null;
    if (original_call_id !== null)
      return new Refusal('conflict', `the outcome that is unknown is that of call ${original_call_id}: resolve that call`, {
        reason: 'effect_of_another_call',
        original_call_id,
      });
    const reason = await this.sealer.text(caller.tenant_id, state.call, reason_text);
    if (reason instanceof Refusal) return reason;
    const json = resolution === 'happened' && output !== undefined ? JSON.stringify(output) : null;
    const output_json = await this.sealer.output(caller.tenant_id, state.call, json);
    if (output_json instanceof Refusal) return output_json;
    const requested_at_ms = this.calls.commands.clock.now_ms();
    const fields = { principal: caller.principal, resolution, reason: reason as string, output_json, requested_at_ms };
    const reached = await this.calls.command('tool_call_resolve_requested', state, fields, { check: ended, timeout_ms: TIMEOUT_MS });
    return this.answer(caller, state, reached);
  }

  private async answer(caller: Caller, before: CallState, reached: Reached | undefined): Promise<Intervention> {
    this.calls.noted(reached?.at);
    const reading = await this.reader.read(reached?.state ?? before, caller);
    return { ...reading, reached: reached !== undefined, at: reached?.at };
  }
}

/** Any answer completes a cancellation: a write that is stopped in progress may end in doubt. */
function answered(state: CallState, at: PlacedEvent | undefined): Reached | undefined {
  return isAnswer(statusOf(state)) ? { state, at } : undefined;
}

function ended(state: CallState, at: PlacedEvent | undefined): Reached | undefined {
  return terminalStatuses.has(statusOf(state)) ? { state, at } : undefined;
}

function mayCancel(caller: Caller, state: CallState): boolean {
  const { id, roles } = caller.principal;
  return roles.includes('operator') || roles.includes('admin') || state.call?.principal.id === id;
}
