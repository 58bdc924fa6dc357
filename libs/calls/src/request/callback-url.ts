import type { AddressRules } from '@countersign/outbound';

/** Why callbacks must not be sent to this URL; undefined if they may. Host names are resolved and checked again before each callback. */
export function callbackFault(text: string, rules: AddressRules): string | undefined {
  const fault = rules.fault(text);
  return fault?.kind === 'scheme' ? 'only http and https are called' : fault?.message;
}
