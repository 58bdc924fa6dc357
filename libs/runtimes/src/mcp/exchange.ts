import { AsyncLocalStorage } from 'node:async_hooks';
import { failed, type OutboundFault } from '@countersign/outbound';

/** Terms of one exchange with a server. */
export interface ExchangeTerms {
  /** Most bytes of the response, counted before it is parsed. */
  readonly bytes_max: number;
  readonly bearer?: string | undefined;
  /** Of the caller: its deadline or its cancellation. */
  readonly signal: AbortSignal;
}

/** What is known about one request to a server besides its answer: whether it was handed over, and why it failed. */
export class Exchange {
  private readonly controller = new AbortController();
  /** Ends the request: the caller's signal, or a fault that was found here. */
  readonly signal: AbortSignal;
  /** Whether a byte of the request may have reached the server. */
  is_handed_over = false;
  is_settled = false;
  fault: OutboundFault | undefined;
  /** A status that is no answer of the protocol, with what its response said. */
  refusal: { status: number; headers: Readonly<Record<string, string>>; text: string } | undefined;

  constructor(readonly terms: ExchangeTerms) {
    this.signal = AbortSignal.any([terms.signal, this.controller.signal]);
  }

  /** Fails the request for a reason that counts before what the library reports. The first one counts. */
  fail(fault: OutboundFault): void {
    this.fault ??= fault;
    this.controller.abort(new Error(fault.message));
  }

  /** It has its result or its error: whatever of it is still open is closed. */
  settle(): void {
    this.is_settled = true;
    this.controller.abort(new Error('the request has ended'));
  }

  /** The connection ended without an answer. */
  ended(why: string): void {
    this.fail(failed('network', why, { unsent: false }));
  }
}

/** The exchange on whose behalf code runs: set around a request, and kept in everything that the request starts. */
export const exchanges = new AsyncLocalStorage<Exchange>();
