import { type CallAnswer, type Caller, Refusal } from '@countersign/calls';
import { InfrastructureFault } from '@countersign/contracts';
import { type NotedRequest, noteProducerRequests, type ProducerScope, type Store, settleProducerRequests } from '@countersign/store';
import type { ProducedRequest, RejectedRecord } from './produced-commands.js';
import { CANCEL_KEPT_MS } from './producer-cancellations.js';
import type { AdmissionOutcome, RequestAdmission } from './request-admission.js';

/** What became of the requests of one round. */
export interface Round {
  /** Answers to requests that were recorded before: nothing on the record will cause them again. */
  repeated: CallAnswer[];
  rejected: RejectedRecord[];
  /** The tenant has no room for them now: to be tried again. */
  full: ProducedRequest[];
}

const cancelledFirst = (): Refusal =>
  new Refusal('conflict', 'the request was cancelled before it was read; nothing was recorded', { reason: 'cancelled_before_request' });

/** Submits requests of a producer together, under the names by which cancels find them. */
export class RequestRounds {
  constructor(
    private readonly store: Pick<Store, 'query'>,
    private readonly admission: RequestAdmission,
  ) {}

  /** @throws InfrastructureFault if one of them may not be recorded: run the round again, recorded requests are then repeats */
  async run(scope: ProducerScope, caller: Caller, requests: readonly ProducedRequest[]): Promise<Round> {
    const named = requests.flatMap(({ names, record }) => names.map((name_digest) => ({ name_digest, at_ms: record.timestamp_ms })));
    const noted = new Map((await noteProducerRequests(this.store, scope, named)).map((one) => [one.name_digest, one]));
    const attempts = await Promise.allSettled(requests.map((request) => this.attempt(request, caller, noted)));
    const calls = new Map<string, string | null>();
    for (const [index, attempt] of attempts.entries())
      for (const name of (requests[index] as ProducedRequest).names)
        calls.set(
          name,
          (attempt.status === 'fulfilled' && attempt.value.kind === 'recorded' && attempt.value.call_id) || (calls.get(name) ?? null),
        );
    await settleProducerRequests(this.store, scope, calls);
    return roundOf(requests, attempts);
  }

  private attempt(
    request: ProducedRequest,
    caller: Caller,
    noted: ReadonlyMap<string, NotedRequest>,
  ): Promise<AdmissionOutcome> | AdmissionOutcome {
    const isCancelled = request.names.some((name) => wasCancelled(noted.get(name), request.record.timestamp_ms));
    return isCancelled ? { kind: 'refused', refusal: cancelledFirst() } : this.admission.submit(request, caller);
  }
}

/** A request that is already a call is not refused: the cancel went to the call. */
function wasCancelled(noted: NotedRequest | undefined, requested_at_ms: number): boolean {
  if (!noted || noted.call_id !== null || noted.cancelled_at_ms === null) return false;
  return requested_at_ms - noted.cancelled_at_ms <= CANCEL_KEPT_MS;
}

function roundOf(requests: readonly ProducedRequest[], attempts: readonly PromiseSettledResult<AdmissionOutcome>[]): Round {
  const round: Round = { repeated: [], rejected: [], full: [] };
  for (const [index, attempt] of attempts.entries()) {
    const request = requests[index] as ProducedRequest;
    if (attempt.status === 'rejected')
      throw new InfrastructureFault('a request of a producer may not be recorded', { cause: attempt.reason });
    const outcome = attempt.value;
    if (outcome.kind === 'full') round.full.push(request);
    else if (outcome.kind === 'refused') round.rejected.push({ kind: 'rejected', record: request.record, problem: outcome.refusal });
    else if (outcome.repeat) round.repeated.push(outcome.repeat);
  }
  return round;
}
