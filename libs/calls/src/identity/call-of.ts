import type { CallState } from '@countersign/domain';
import type { Caller } from '../caller.js';

/** True if this principal requested the call itself. */
export function isCallOf({ call }: CallState, { principal }: Pick<Caller, 'principal'>): boolean {
  return call !== null && call.principal.kind === principal.kind && call.principal.id === principal.id;
}
