import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { AddressRules } from './address-rules.js';

/** A name was resolved to an address that must not be connected to. */
export class AddressRefused extends Error {
  readonly code = 'ERR_ADDRESS_REFUSED';
}

export type ResolveAll = (
  name: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** The resolver of the operating system. */
export const systemResolver: ResolveAll = lookup;

/**
 * Resolves the name of a URL at the moment of connecting and refuses it if one of its addresses is not allowed. The connection uses the
 * checked address, so the name server cannot change its response in between.
 */
export function checkedLookup(url: URL, rules: AddressRules, resolve: ResolveAll): LookupFunction {
  return (name, options, done) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      const fault = error ?? refusal(url, rules, addresses);
      if (fault) done(fault, '', 4);
      else if (options.all) (done as (error: null, all: LookupAddress[]) => void)(null, addresses);
      else done(null, addresses[0]?.address as string, addresses[0]?.family as number);
    });
  };
}

function refusal(url: URL, rules: AddressRules, addresses: readonly LookupAddress[]): AddressRefused | undefined {
  const fault = rules.answerFault(
    url,
    addresses.map(({ address }) => address),
  );
  return fault === undefined ? undefined : new AddressRefused(fault);
}
