import type { ToolCall } from '@countersign/contracts';

/** Policy decides only for the first caller, so a repeat is answered only for the same principal and the same user. */
export function isSameCaller(one: ToolCall, other: ToolCall): boolean {
  const { principal, authority } = one;
  const forWhom = authority?.on_behalf_of?.id === other.authority?.on_behalf_of?.id;
  return principal.kind === other.principal.kind && principal.id === other.principal.id && forWhom;
}
