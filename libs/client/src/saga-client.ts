import { randomUUID } from 'node:crypto';
import { Patience } from './patience.js';
import type { TypedApi } from './typed-api.js';
import type { Problem, Saga, SagaRequest, SagaWaitAnswer } from './wire.js';

/** The outcome of a request about a saga. `unreachable`: no response, so it is unknown whether it arrived. */
export type SagaResult = { kind: 'answered'; saga: Saga } | { kind: 'refused'; problem: Problem } | { kind: 'unreachable'; cause: unknown };

export interface SagaStartOptions {
  /** Sent as `Idempotency-Key`. Absent without a saga_id: a new one for each `start`, kept when the request is sent again. */
  idempotency_key?: string;
  /** Ends the wait; the saga itself continues. */
  signal?: AbortSignal;
}

export type SagaAct = 'pause' | 'resume' | 'cancel' | 'retry' | 'accept' | 'done-by-hand';

const OPEN: ReadonlySet<string> = new Set(['pending', 'running', 'awaiting_approval', 'compensating']);
const TRANSIENT = new Set([408, 425, 429, 502, 503, 504]);
const WAIT_MAX_S = 30;
/** The part of the time limit that is reserved for the response. */
const ANSWER_RESERVE_MS = 500;
const ATTEMPT_MS = 15_000;
const PAUSES_MS = { first: 100, longest: 2_000 };

type Sent = Promise<{ data?: unknown; error?: unknown; response: Response }>;

/** Starts sagas and waits for them: repeats a request until it is answered or the time limit ends. Every route is also in `client.api`. */
export class SagaClient {
  constructor(
    private readonly api: TypedApi,
    private readonly patience_ms: number,
  ) {}

  /** Starts a saga and waits for its end, up to the time limit. However often it is sent, the request starts one saga. */
  async start(body: SagaRequest, { idempotency_key, signal }: SagaStartOptions = {}): Promise<SagaResult> {
    const key = idempotency_key ?? (body.saga_id === undefined ? randomUUID() : undefined);
    const patience = new Patience(this.patience_ms, signal);
    const started = await this.repeat(
      patience,
      (result) => result.kind === 'answered',
      (limit) => {
        const wait_s = Math.min(WAIT_MAX_S, Math.floor(Math.max(0, patience.left_ms - ANSWER_RESERVE_MS) / 1000));
        const headers = { prefer: `wait=${wait_s}`, ...(key === undefined ? {} : { 'idempotency-key': key }) };
        return this.api.POST('/v1/sagas', { body, headers, signal: limit(wait_s * 1000 + ATTEMPT_MS) });
      },
    );
    return started.kind === 'answered' && !hasEnded(started) ? this.poll(started.saga.saga_id, patience, started) : started;
  }

  /** Waits until a saga has ended, up to this time; then returns what is known. A ticket or a wait for a person keeps it open. */
  ended(saga_id: string, patience_ms: number, { signal }: Pick<SagaStartOptions, 'signal'> = {}): Promise<SagaResult> {
    return this.poll(saga_id, new Patience(patience_ms, signal));
  }

  /** Pauses, resumes or cancels a saga, or decides about its ticket. One request: an answer that was lost may have been recorded. */
  control(saga_id: string, act: SagaAct, body: { step_id?: string; reason?: string } = {}): Promise<SagaResult> {
    const params = { path: { saga_id } };
    return this.once((limit) => this.api.POST(`/v1/sagas/{saga_id}/${act}`, { params, body, signal: limit(ATTEMPT_MS) }));
  }

  /** Answers a wait: an approval, an event, or a manual step. */
  answer(saga_id: string, step_id: string, body: SagaWaitAnswer): Promise<SagaResult> {
    const params = { path: { saga_id, step_id } };
    return this.once((limit) => this.api.POST('/v1/sagas/{saga_id}/waits/{step_id}', { params, body, signal: limit(ATTEMPT_MS) }));
  }

  private poll(saga_id: string, patience: Patience, known?: SagaResult): Promise<SagaResult> {
    const params = { path: { saga_id } };
    const look = (limit: (ms: number) => AbortSignal) => this.api.GET('/v1/sagas/{saga_id}', { params, signal: limit(ATTEMPT_MS) });
    return this.repeat(patience, hasEnded, look, known);
  }

  private once(send: (limit: (ms: number) => AbortSignal) => Sent): Promise<SagaResult> {
    const patience = new Patience(this.patience_ms);
    return sagaResult(send((ms) => patience.limit(ms)));
  }

  private async repeat(
    patience: Patience,
    isEnough: (result: SagaResult) => boolean,
    send: (limit: (ms: number) => AbortSignal) => Sent,
    before?: SagaResult,
  ): Promise<SagaResult> {
    let known = before;
    for (let pause_ms = PAUSES_MS.first; ; pause_ms = Math.min(pause_ms * 2, PAUSES_MS.longest)) {
      const result = await sagaResult(send((ms) => patience.limit(ms)));
      if (isEnough(result) || (result.kind === 'refused' && !TRANSIENT.has(result.problem.status))) return result;
      known = known?.kind === 'answered' && result.kind !== 'answered' ? known : result;
      const retry_after_ms = result.kind === 'refused' ? (result.problem.retry_after_s ?? 0) * 1000 : 0;
      if (!(await patience.pause(Math.max(retry_after_ms, pause_ms)))) return known;
    }
  }
}

/** compensation_failed is also shown while a ticket is open: then the saga has no end yet. */
const hasEnded = (result: SagaResult): boolean =>
  result.kind === 'answered' && !OPEN.has(result.saga.status) && result.saga.ended_at !== null;

async function sagaResult(sent: Sent): Promise<SagaResult> {
  try {
    const { data, error, response } = await sent;
    if (data !== undefined && response.ok) return { kind: 'answered', saga: data as Saga };
    const problem = (typeof error === 'object' && error !== null ? error : {}) as Partial<Problem>;
    const blank = { type: 'about:blank', title: response.statusText || `HTTP ${response.status}`, code: 'UNKNOWN' as const };
    return { kind: 'refused', problem: { ...blank, ...problem, status: response.status } };
  } catch (cause) {
    return { kind: 'unreachable', cause };
  }
}
