import { type Calls, Refusal } from '@countersign/calls';
import { InfrastructureFault } from '@countersign/contracts';
import { type CallState, type CallStatus, statusOf } from '@countersign/domain';

const OPEN: ReadonlySet<CallStatus> = new Set(['pending_policy', 'pending_approval', 'running']);

const isInDoubt = (state: CallState): boolean => statusOf(state) === 'in_doubt';

/** True if the call ended, or its outcome is unknown. */
export const isSettled = (state: CallState): boolean => !OPEN.has(statusOf(state));

/** True if the call ended, and its outcome is known. */
export const isKnown = (state: CallState): boolean => isSettled(state) && !isInDoubt(state);

/** The earlier call in doubt that answered this one: only that call is resolved. */
export const doubtOf = (state: CallState): string | null => (isInDoubt(state) ? (state.end?.original_call_id ?? null) : null);

/** Recorded calls as the views have them. A saga may know more than the views, which are behind the log. */
export class CallOutcomes {
  constructor(private readonly calls: Pick<Calls, 'recorded'>) {}

  /** @throws InfrastructureFault if the call is not in the views yet */
  async find(tenant_id: string, call_id: string): Promise<CallState> {
    const state = await this.calls.recorded.find(tenant_id, call_id);
    if (state instanceof Refusal) throw new InfrastructureFault(`call ${call_id} cannot be read: ${state.detail}`);
    return state;
  }

  /** A call that the saga knows as settled. @throws InfrastructureFault while the views are behind */
  async settled(tenant_id: string, call_id: string): Promise<CallState> {
    const state = await this.find(tenant_id, call_id);
    if (!isSettled(state)) throw new InfrastructureFault(`the end of call ${call_id} is not in the views yet`);
    return state;
  }

  /** A call whose outcome the saga knows, or the earlier one whose doubt answered it. @throws InfrastructureFault while the views are behind */
  async known(tenant_id: string, call_id: string): Promise<CallState> {
    const found = await this.find(tenant_id, call_id);
    const original_call_id = doubtOf(found);
    const state = original_call_id === null ? found : await this.find(tenant_id, original_call_id);
    if (!isKnown(state)) throw new InfrastructureFault(`the outcome of call ${call_id} is not in the views yet`);
    return state;
  }
}
