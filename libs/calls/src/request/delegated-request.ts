import type { Authority } from '@countersign/contracts';
import type { Caller } from '../caller.js';
import type { Refusal } from '../refusal.js';
import type { CallRequest } from './call-request.js';

export type CallFor = Partial<Pick<CallRequest, 'on_behalf_of' | 'user_token' | 'sources'>>;

/** True if a request needs more than the caller's own rights. */
export const isDelegated = (request: CallFor): boolean =>
  request.on_behalf_of !== undefined || request.user_token !== undefined || request.sources !== undefined;

/** Resolves the authority of a call that acts for a user or uses other calls' results. Implemented by a service that can verify tokens. */
export interface AuthorityResolver {
  of(request: CallFor, caller: Caller): Promise<Authority | Refusal>;
}
