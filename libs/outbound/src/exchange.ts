import type { UrlFault } from './address-rules.js';

export interface OutboundRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
  /** Redirects that are followed; each address is checked as the first one was. 0: a redirect is the answer. */
  redirects_max: number;
  /** What is done with the body of the answer. `status_only`: the answer is there as soon as its headers are. */
  answer: { bytes_max: number; when_larger: 'cut' | 'fail' } | 'status_only';
  /** Ends the exchange, redirects included. */
  signal: AbortSignal;
}

/** The server answered. What the status means is the caller's to say. */
export interface OutboundAnswer {
  kind: 'answered';
  /** The address that answered, after redirects. */
  url: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  bytes: Buffer;
  /** There was more than `bytes_max`; the rest was not read. */
  cut: boolean;
  /** Addresses that sent it on, in order. */
  redirects: string[];
}

export interface OutboundFault {
  kind: 'failed';
  reason: UrlFault['kind'] | 'redirect' | 'downgrade' | 'timeout' | 'too_large' | 'network';
  message: string;
  /** Code of the system or of the library. */
  code: string | null;
  /** True where no byte of the request can have reached the server. */
  unsent: boolean;
}

export type Exchanged = OutboundAnswer | OutboundFault;

export const failed = (reason: OutboundFault['reason'], message: string, more: Partial<OutboundFault> = {}): OutboundFault => ({
  kind: 'failed',
  reason,
  message,
  code: null,
  unsent: true,
  ...more,
});
