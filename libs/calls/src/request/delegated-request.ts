import type { Authority } from '@countersign/contracts';
import type { Caller } from '../caller.js';
import type { Refusal } from '../refusal.js';
import type { CallRequest } from './call-request.js';

export type CallFor = Pick<CallRequest, 'on_behalf_of' | 'user_token' | 'sources'>;

/** Whether a request needs more than the caller's own rights. */
export const isDelegated = (request: CallFor): boolean =>
  request.on_behalf_of !== undefined || request.user_token !== undefined || request.sources !== undefined;

/** Says by whose rights a call is made that is made for a user, or from other calls' results. Whoever can check tokens implements it. */
export interface AuthorityResolver {
  of(request: CallFor, caller: Caller): Promise<Authority | Refusal>;
}
