import type { ToolCall } from '@countersign/contracts';

/** Policy ruled for whoever asked first and rules on no repeat, so nobody else gets the answer: the same principal, for the same user. */
export function isSameCaller(one: ToolCall, other: ToolCall): boolean {
  const { principal, authority } = one;
  const forWhom = authority?.on_behalf_of?.id === other.authority?.on_behalf_of?.id;
  return principal.kind === other.principal.kind && principal.id === other.principal.id && forWhom;
}
