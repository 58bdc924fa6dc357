import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { checkedLookup, hostFault, type ResolveAll } from './outbound-address.js';

export interface OutboundTerms {
  allow_private: boolean;
  /** The system's resolver where nothing is said. */
  resolve?: ResolveAll;
}

/**
 * A request on a connection of its own to a host that a tenant named. The host is checked here, and each address that its name
 * resolves to when the connection is made. Redirects are not followed. @throws Error where the host is refused.
 */
export function outboundRequest(
  url: URL,
  options: Pick<RequestOptions, 'method' | 'headers' | 'timeout' | 'signal'>,
  { allow_private, resolve }: OutboundTerms,
  answered: (answer: IncomingMessage) => void,
): ClientRequest {
  const fault = hostFault(url.hostname, allow_private);
  if (fault !== undefined) throw new Error(fault);
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return send(url, { ...options, agent: false, lookup: checkedLookup(allow_private, resolve) }, answered);
}
