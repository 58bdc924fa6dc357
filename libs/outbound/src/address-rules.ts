import { isIP } from 'node:net';
import { METADATA_NAMES, type Reach, reachOf } from './reach.js';

/** Why a URL is refused. `not_a_url`: it cannot be parsed. `address`: its host must not be reached. */
export interface UrlFault {
  kind: 'not_a_url' | 'scheme' | 'credentials' | 'address';
  message: string;
}

export interface RuleTerms {
  /** Hosts of private networks that may be reached: `host` or `host:port`, lower case. */
  private_hosts: 'all' | ReadonlySet<string>;
  /** Where plain http may go: to every allowed host, or to private addresses only. */
  plain_http: 'to_any' | 'to_private';
}

const NONE: ReadonlySet<string> = new Set();
const LOCAL_NAME = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa)$/;
const NEVER = 'addresses of metadata services and link-local addresses are refused in every installation';

const REACHES = {
  public: new Set<Reach>(['public']),
  private: new Set<Reach>(['private']),
  both: new Set<Reach>(['public', 'private']),
};

/** Host of a parsed URL without brackets and trailing dots. */
const bareHost = ({ hostname }: URL): string =>
  hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.+$/, '')
    .toLowerCase();

/** The URLs and addresses to which the platform may connect on behalf of a tenant. One rule for every kind of outbound request. */
export class AddressRules {
  constructor(private readonly terms: RuleTerms) {}

  /** For callbacks, webhooks and Slack channels: http and https. */
  static forCallbacks(allow_private: boolean): AddressRules {
    return new AddressRules({ private_hosts: allow_private ? 'all' : NONE, plain_http: 'to_any' });
  }

  /** For identity providers and token endpoints: https, and plain http only inside private networks. */
  static forIdentity(allow_private: boolean): AddressRules {
    return new AddressRules({ private_hosts: allow_private ? 'all' : NONE, plain_http: 'to_private' });
  }

  /** For tools: http and https; the operator lists hosts of private networks. */
  static forTools(private_hosts: ReadonlySet<string>): AddressRules {
    return new AddressRules({ private_hosts, plain_http: 'to_any' });
  }

  /** For endpoints of tools that tenants register: https, and plain http only to listed hosts of private networks. */
  static forToolEndpoints(private_hosts: ReadonlySet<string>): AddressRules {
    return new AddressRules({ private_hosts, plain_http: 'to_private' });
  }

  /** Why this URL must not be requested, or undefined. Its name is checked again when it is resolved. */
  fault(text: string): UrlFault | undefined {
    if (!URL.canParse(text)) return { kind: 'not_a_url', message: 'the text is not a URL' };
    const url = new URL(text);
    if (!this.takesScheme(url)) return { kind: 'scheme', message: this.onlyScheme() };
    if (url.username !== '' || url.password !== '') return { kind: 'credentials', message: 'the URL must not contain credentials' };
    const message = this.hostFault(url);
    return message === undefined ? undefined : { kind: 'address', message };
  }

  /** Why a host that resolved to these addresses must not be connected to, or undefined. One refused address refuses the host. */
  answerFault(url: URL, addresses: readonly string[]): string | undefined {
    const reaches = addresses.map(reachOf);
    if (reaches.includes('never')) return `${url.hostname} resolves to a refused address: ${NEVER}`;
    const allowed = this.reachesOf(url);
    if (reaches.length > 0 && reaches.every((reach) => allowed.has(reach))) return undefined;
    return allowed.has('public') ? `${url.hostname} is not a public address` : `${url.hostname} is not a private address: use https`;
  }

  private takesScheme(url: URL): boolean {
    return url.protocol === 'https:' || (url.protocol === 'http:' && (this.terms.plain_http === 'to_any' || this.mayBePrivate(url)));
  }

  private onlyScheme(): string {
    return this.terms.plain_http === 'to_any' ? 'the URL must begin with http:// or https://' : 'the URL must begin with https://';
  }

  private hostFault(url: URL): string | undefined {
    const host = bareHost(url);
    const is_address = isIP(host) !== 0;
    if (METADATA_NAMES.has(host) || (is_address && reachOf(host) === 'never')) return NEVER;
    if (!is_address) return this.nameFault(url, host);
    const allowed = this.reachesOf(url);
    if (allowed.has(reachOf(host))) return undefined;
    return allowed.has('public') ? 'loopback, private and link-local addresses are refused' : this.onlyScheme();
  }

  private nameFault(url: URL, host: string): string | undefined {
    const is_local = LOCAL_NAME.test(host) || !host.includes('.');
    return is_local && !this.reachesOf(url).has('private') ? 'host names of local networks are refused' : undefined;
  }

  private reachesOf(url: URL): ReadonlySet<Reach> {
    if (!this.mayBePrivate(url)) return REACHES.public;
    return url.protocol === 'http:' && this.terms.plain_http === 'to_private' ? REACHES.private : REACHES.both;
  }

  private mayBePrivate(url: URL): boolean {
    const { private_hosts } = this.terms;
    if (private_hosts === 'all') return true;
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    return private_hosts.has(url.hostname) || private_hosts.has(`${url.hostname}:${port}`);
  }
}
