import type { AddressRules } from '@countersign/outbound';

/** Why nothing may be sent to this URL, or undefined. Names are resolved and checked again when it is called. */
export function callbackFault(text: string, rules: AddressRules): string | undefined {
  const fault = rules.fault(text);
  return fault?.kind === 'scheme' ? 'only http and https are called' : fault?.message;
}
