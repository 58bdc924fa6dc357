import type { LookupFunction } from 'node:net';
import { checkedLookup, hostFault } from '@countersign/process';
import { ToolError } from '@countersign/tool-kit';

/** Hosts on private networks that the operator lets tools reach: `host` or `host:port`, comma-separated. */
export function parseAllowed(setting: string | undefined): ReadonlySet<string> {
  return new Set(
    (setting ?? '')
      .split(',')
      .map((host) => host.trim().toLowerCase())
      .filter((host) => host !== ''),
  );
}

const refused = (message: string): ToolError => new ToolError('POLICY_DENIED', message, { effect: 'none', details: { reason: 'address' } });

/** Which addresses a request may go to. A name is resolved at the moment of connecting, and what was checked is what is connected to. */
export class AddressRules {
  constructor(private readonly allowed: ReadonlySet<string>) {}

  /** The URL as it will be asked, or why not. Odd spellings of an address are normalised by then. @throws ToolError */
  check(text: string): URL {
    if (!URL.canParse(text)) throw new ToolError('VALIDATION_ERROR', 'the address is not a URL', { effect: 'none' });
    const url = new URL(text);
    if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refused('only http and https are asked');
    if (url.username !== '' || url.password !== '') throw refused('credentials in a URL are not taken');
    url.hash = '';
    const fault = hostFault(url.hostname, this.lists(url));
    if (fault !== undefined) throw refused(fault);
    return url;
  }

  /** How names of this URL are resolved: to public addresses only, unless the operator lists the host; to metadata services never. */
  lookupFor(url: URL): LookupFunction {
    return checkedLookup(this.lists(url));
  }

  private lists(url: URL): boolean {
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    return this.allowed.has(url.hostname) || this.allowed.has(`${url.hostname}:${port}`);
  }
}
