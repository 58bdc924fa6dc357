import type { AddressRules, UrlFault } from './address-rules.js';
import { type ResolveAll, systemResolver } from './checked-lookup.js';
import { type Exchanged, failed, type OutboundAnswer, type OutboundFault, type OutboundRequest } from './exchange.js';
import { type OpenAnswer, openStream, type StreamRequest } from './open-stream.js';
import { Proxies } from './proxies.js';
import type { Ways } from './route.js';
import { singleRequest } from './single-request.js';
import { openTunnel, type Tunnel } from './tunnel.js';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Headers that belong to their original host. */
const OWN = new Set(['authorization', 'if-none-match', 'if-modified-since', 'idempotency-key']);

/**
 * The only path of outbound requests to an address that a tenant named. Each request has its own connection; its address is checked as
 * text and again when it is resolved, and so is the address of each followed redirect. A proxy is used only if the operator names one.
 */
export class OutboundDoor {
  private readonly ways: Ways;

  constructor(
    private readonly rules: AddressRules,
    proxies: Proxies = Proxies.of(undefined, {}),
    resolve: ResolveAll = systemResolver,
  ) {
    this.ways = { rules, resolve, proxies };
  }

  /** Why this URL must not be requested, or undefined. */
  fault(url: string): UrlFault | undefined {
    return this.rules.fault(url);
  }

  async exchange(request: OutboundRequest): Promise<Exchanged> {
    const redirects: string[] = [];
    let { url: address, headers } = request;
    for (;;) {
      const fault = this.rules.fault(address);
      if (fault) return failed(fault.kind, fault.message);
      const url = new URL(address);
      url.hash = '';
      const answer = await singleRequest(url, { ...request, headers }, this.ways);
      if (answer.kind === 'failed') return answer;
      if (!isRedirect(answer) || request.redirects_max === 0) return { ...answer, redirects };
      if (redirects.length >= request.redirects_max)
        return failed('redirect', `the server redirected more than ${request.redirects_max} times`, { unsent: false });
      redirects.push(url.href);
      const next = this.redirected(answer, url);
      if ('kind' in next) return next;
      if (next.origin !== url.origin) headers = Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.has(name)));
      address = next.href;
    }
  }

  /** Sends one request and returns its response before the body is read. A redirect is a response: none is followed. */
  async open(request: StreamRequest): Promise<OpenAnswer | OutboundFault> {
    const fault = this.rules.fault(request.url);
    if (fault) return failed(fault.kind, fault.message);
    const url = new URL(request.url);
    url.hash = '';
    return openStream(url, request, this.ways);
  }

  /** Connects to a host and port for bytes of another program, which encrypts them itself. The signal counts until the connection is made. */
  async connect(host: string, port: number, signal: AbortSignal): Promise<Tunnel> {
    const address = `https://${host}:${port}/`;
    const fault = this.rules.fault(address);
    return fault ? failed(fault.kind, fault.message) : openTunnel(new URL(address), this.ways, signal);
  }

  private redirected({ headers: { location = '' } }: OutboundAnswer, from: URL): URL | OutboundFault {
    if (!URL.canParse(location, from.href)) return failed('redirect', 'the server redirected to an invalid URL', { unsent: false });
    const next = new URL(location, from);
    const fault = this.rules.fault(next.href);
    if (fault) return failed(fault.kind, fault.message, { unsent: false });
    if (from.protocol !== 'https:' || next.protocol === 'https:') return next;
    return failed('downgrade', 'a redirect from https to http is not followed', { unsent: false });
  }
}

const isRedirect = ({ status, headers }: OutboundAnswer): boolean => REDIRECTS.has(status) && headers.location !== undefined;
