import { type CallError, callError } from '@countersign/contracts';
import type { Configuration } from '@countersign/process';
import type { OpenSaga } from './open-saga.js';

/** Whether the credential that started a saga may still be used: without it no further step is called. */
export class StarterStanding {
  constructor(
    private readonly configuration: Pick<Configuration, 'state'>,
    private readonly now_ms: () => number,
  ) {}

  /** Why the steps of the saga may no longer be called; undefined if they may. Tokens are checked when they are used. */
  refusal({ tenant_id, state }: OpenSaga): CallError | undefined {
    const ref = state.authority?.agent_token_ref ?? '';
    if (!ref.startsWith('key:')) return undefined;
    const key = this.configuration.state.keys_by_id.get(ref.slice('key:'.length));
    const is_usable =
      key?.tenant_id === tenant_id && key.revoked_at_ms === null && (key.expires_at_ms === null || this.now_ms() < key.expires_at_ms);
    return is_usable
      ? undefined
      : callError('AUTH_REQUIRED', 'the API key that started the saga was revoked or has expired: start a new saga');
  }
}
