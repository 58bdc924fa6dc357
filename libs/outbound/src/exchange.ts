import type { UrlFault } from './address-rules.js';

export interface OutboundRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Buffer | undefined;
  /** Most redirects to follow; each address is checked like the first one. 0: the redirect itself is the response. */
  redirects_max: number;
  /** How to handle the body of the response. `status_only`: resolves as soon as the headers arrive. */
  answer: { bytes_max: number; when_larger: 'cut' | 'fail' } | 'status_only';
  /** Ends the exchange, redirects included. */
  signal: AbortSignal;
}

/** The server responded. The caller interprets the status. */
export interface OutboundAnswer {
  kind: 'answered';
  /** The address that responded, after redirects. */
  url: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  bytes: Buffer;
  /** The body was larger than `bytes_max`; the rest was not read. */
  cut: boolean;
  /** Addresses that redirected, in order. */
  redirects: string[];
}

export interface OutboundFault {
  kind: 'failed';
  reason: UrlFault['kind'] | 'redirect' | 'downgrade' | 'timeout' | 'too_large' | 'network';
  message: string;
  /** Error code of the system or of the library. */
  code: string | null;
  /** True if certainly no byte of the request has reached the server. */
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
