import { randomUUID } from 'node:crypto';
import { addressOf, type CallResult, gatewayAddress, readAnswer } from './exchange.js';
import { Patience } from './patience.js';
import { SagaClient } from './saga-client.js';
import { type TenantEvent, type TenantEventsOptions, tenantEvents } from './tenant-events.js';
import { type TypedApi, typedApi } from './typed-api.js';
import type { CallOptions, CallRequest } from './wire.js';

export interface ClientOptions {
  /** For example http://127.0.0.1:7070 */
  url: string;
  /** An API key (or JWT); determines tenant, principal and roles. */
  key: string;
  /** Total time limit of a `call`: it sends and waits until then, and returns what it has. Default 60 s. */
  patience_ms?: number;
  fetch?: typeof fetch;
  /** Creates the request id of a `call`. Default: a random UUID. */
  newRequestId?: () => string;
}

const PATIENCE_MS = 60_000;
/** How long the gateway may hold a continuing call, which is also its default. */
const WAIT_MS = 30_000;
/** The part of the time limit that is reserved for the response. */
const ANSWER_RESERVE_MS = 500;
/** How long a response may take beyond that: a silently lost connection is given up. */
const ATTEMPT_MS = 10_000;
const TRANSIENT = new Set([408, 425, 429, 502, 503, 504]);
const ANSWERS: ReadonlySet<string> = new Set([
  'succeeded',
  'failed',
  'denied',
  'expired',
  'cancelled',
  'in_doubt',
  'compensated',
  'compensation_failed',
]);

/**
 * The client that an agent imports. Each `call` is one request with its own id, which it keeps when it is sent again after a lost
 * connection: the gateway then returns its outcome. The key of the effect is derived from the inputs, not from the request: a new `call`
 * with the inputs of an earlier one has no second effect while the first effect lasts.
 */
export class CountersignClient {
  /** Every route, typed; `call`, `ended` and `cancel` add retries and time limits to calls. */
  readonly api: TypedApi;
  /** Starts sagas and waits for them. */
  readonly sagas: SagaClient;
  private readonly fetch: typeof fetch;
  private readonly newRequestId: () => string;
  private readonly base: URL;
  private readonly patience_ms: number;

  /** @throws TypeError or RangeError for options with which no call could ever be sent */
  constructor(private readonly options: ClientOptions) {
    this.fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.newRequestId = options.newRequestId ?? randomUUID;
    this.base = gatewayAddress(options.url);
    this.patience_ms = options.patience_ms ?? PATIENCE_MS;
    new Patience(this.patience_ms);
    this.headers();
    this.api = typedApi(this.base, options.key, this.fetch);
    this.sagas = new SagaClient(this.api, this.patience_ms);
  }

  /**
   * Sends a call until it is answered or refused, or the time limit ends; then returns what is known. A call that waits for a person is
   * returned as it is: see `ended`.
   * @throws TypeError if the request cannot be written as JSON, or the idempotency key not as a header
   */
  async call(request: CallRequest, options: CallOptions = {}): Promise<CallResult> {
    const given = options.request_id ?? request.context?.request_id;
    // The reference identifies a request that has one.
    const request_id = given ?? (request.external_id === undefined ? this.newRequestId() : undefined);
    const context = request_id === undefined ? request.context : { ...request.context, request_id };
    const body = JSON.stringify({ ...request, ...(context && { context }) } satisfies CallRequest);
    const headers = this.headers(options.idempotency_key === undefined ? {} : { 'idempotency-key': options.idempotency_key });
    headers.set('content-type', 'application/json');
    const patience = new Patience(this.patience_ms, options.signal);
    const sent = await this.repeat(patience, { first_ms: 100, longest_ms: 5000 }, isAdmitted, () => {
      const wait_s = Math.floor(Math.max(0, Math.min(WAIT_MS, patience.left_ms - ANSWER_RESERVE_MS)) / 1000);
      headers.set('prefer', `wait=${wait_s}`);
      return this.once('/v1/calls', { method: 'POST', headers, body }, patience, wait_s * 1000 + ATTEMPT_MS);
    });
    return sent.kind === 'answered' && isAdmitted(sent) && !isSettled(sent) ? this.poll(sent.envelope.call_id, patience, sent) : sent;
  }

  /** Waits until a call has ended (approval included), up to the time limit; then returns what is known. */
  async ended(call_id: string, patience_ms: number, { signal }: Pick<CallOptions, 'signal'> = {}): Promise<CallResult> {
    return this.poll(call_id, new Patience(patience_ms, signal));
  }

  async cancel(call_id: string, reason: string): Promise<CallResult> {
    const headers = this.headers({ 'content-type': 'application/json' });
    const init = { method: 'POST', headers, body: JSON.stringify({ reason }) };
    return this.once(`/v1/calls/${encodeURIComponent(call_id)}/cancel`, init, new Patience(this.patience_ms));
  }

  /**
   * What changes in the tenant, as far as the credential may list it. Opens a lost connection again after the last event, until the
   * iteration is left: none is missing, and none comes twice.
   * @throws EventsRefused if the gateway refuses the credential or the cursor
   */
  events(options: TenantEventsOptions = {}): AsyncGenerator<TenantEvent, void> {
    const query = options.kinds ? `?kinds=${encodeURIComponent(options.kinds.join(','))}` : '';
    const open = (cursor: string | undefined, signal: AbortSignal) => {
      const headers = this.headers({ accept: 'text/event-stream', ...(cursor !== undefined && { 'last-event-id': cursor }) });
      return this.fetch(addressOf(this.base, `/v1/events${query}`), { headers, redirect: 'manual', signal });
    };
    return tenantEvents(open, options);
  }

  private poll(call_id: string, patience: Patience, known?: CallResult): Promise<CallResult> {
    const path = `/v1/calls/${encodeURIComponent(call_id)}`;
    const look = () => this.once(path, { method: 'GET', headers: this.headers() }, patience);
    return this.repeat(patience, { first_ms: 50, longest_ms: 2000 }, hasEnded, look, known);
  }

  /**
   * Repeats a request until a result is sufficient or a final refusal, or the next pause exceeds the remaining time; then returns the
   * most informative result. Hand-written: retries depend on results as well as on faults.
   */
  private async repeat(
    patience: Patience,
    pauses: { first_ms: number; longest_ms: number },
    isEnough: (result: CallResult) => boolean,
    ask: () => Promise<CallResult>,
    before?: CallResult,
  ): Promise<CallResult> {
    let known = before;
    for (let pause_ms = pauses.first_ms; ; pause_ms = Math.min(pause_ms * 2, pauses.longest_ms)) {
      const result = await ask();
      if (isEnough(result) || (result.kind === 'refused' && !TRANSIENT.has(result.problem.status))) return result;
      known = more(known, result);
      const retry_after_ms = result.kind === 'refused' ? (result.problem.retry_after_s ?? 0) * 1000 : 0;
      if (!(await patience.pause(Math.max(retry_after_ms, pause_ms)))) return known;
    }
  }

  private headers(others: Record<string, string> = {}): Headers {
    return new Headers({ authorization: `Bearer ${this.options.key}`, ...others });
  }

  private async once(path: string, init: RequestInit, patience: Patience, attempt_ms = ATTEMPT_MS): Promise<CallResult> {
    try {
      const response = await this.fetch(addressOf(this.base, path), { ...init, redirect: 'manual', signal: patience.limit(attempt_ms) });
      return await readAnswer(response);
    } catch (cause) {
      return { kind: 'unreachable', cause };
    }
  }
}

const hasEnded = (result: CallResult): boolean => result.kind === 'answered' && ANSWERS.has(result.envelope.status);
const isSettled = (result: CallResult): boolean =>
  hasEnded(result) || (result.kind === 'answered' && result.envelope.status === 'pending_approval');
/** Whether the call is recorded: from then on it is polled by its id. */
const isAdmitted = (result: CallResult): boolean =>
  result.kind === 'answered' && (isSettled(result) || typeof result.envelope.call_id === 'string');

/** The more informative of two results: an envelope, then a refusal, then none; of equals the later one. */
function more(before: CallResult | undefined, result: CallResult): CallResult {
  const says = { answered: 2, refused: 1, unreachable: 0 };
  return before !== undefined && says[before.kind] > says[result.kind] ? before : result;
}
