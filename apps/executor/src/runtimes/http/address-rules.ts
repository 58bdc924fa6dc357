import { lookup as resolveName } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPrivateAddress, publicLookup } from '@countersign/process';
import { ToolError } from '@countersign/tool-kit';

/** Not even where the operator lists the name: the metadata services of clouds live there. */
const NEVER = /^(169\.254\.|fe80:|fd00:ec2:)/i;

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

const bare = (host: string): string => host.replace(/^\[|\]$/g, '');

/** Of a listed host: any address but those that are never asked. */
const listedLookup: LookupFunction = (name, options, done) => {
  resolveName(name, { ...options, all: true }, (error, addresses) => {
    const bad = error ? undefined : addresses.find(({ address }) => NEVER.test(address));
    const first = error || bad ? undefined : addresses[0];
    if (!first) done(error ?? new Error(`${name} is at an address that is never asked`), '', 4);
    else if (options.all) (done as (error: null, all: typeof addresses) => void)(null, addresses);
    else done(null, first.address, first.family);
  });
};

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
    const host = bare(url.hostname);
    if (isIP(host) !== 0 && (NEVER.test(host) || (isPrivateAddress(host) && !this.lists(url))))
      throw refused('loopback, private and link-local addresses are not asked');
    return url;
  }

  /** How names of this URL are resolved: to public addresses only, unless the operator lists the host. */
  lookupFor(url: URL): LookupFunction {
    return this.lists(url) ? listedLookup : publicLookup;
  }

  private lists(url: URL): boolean {
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    return this.allowed.has(url.hostname) || this.allowed.has(`${url.hostname}:${port}`);
  }
}
