import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Refusal } from '@countersign/calls';
import type { Problem } from '../http/problem.js';
import { headerOf, type IncomingRequest, type OutgoingReply, sendProblem } from '../http/reply.js';
import type { RequestAccess } from '../http/request-access.js';
import { type BodyReservation, isOverrun, type Overrun } from './body-budget.js';
import type { HttpBounds } from './http-bounds.js';
import { BODY_BYTES_MAX, KEYLESS_BODY_BYTES_MAX } from './http-limits.js';
import type { HttpRefusal } from './http-metrics.js';
import { dropUnread, endAfterAnswer, KEYED, KEYLESS, type Leniency } from './unread-body.js';

const LOADS = { address: 'your address', tenant: 'your tenant', process: 'this gateway' } as const;

/** Whether a body follows the headers. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) !== 0);
}

function overrunProblem({ scope, found_bytes, wanted_bytes, max_bytes }: Overrun): Problem {
  const found = found_bytes === undefined ? '' : `, ${found_bytes} bytes are in flight`;
  const detail = `bodies of ${LOADS[scope]} have at most ${max_bytes} bytes in flight${found}, and this one needs ${wanted_bytes} more: wait for responses, then retry`;
  const issue = { path: '', code: 'too_many_bytes', message: detail };
  const kind = scope === 'process' ? 'overloaded' : 'too-many-bytes';
  return new Refusal(kind, detail, { issues: [issue], scope, found_bytes, wanted_bytes, max_bytes });
}

function tooLarge(found: string, max: number): Problem {
  const detail = `the body has ${found} bytes; this route accepts at most ${max}`;
  return new Refusal('body-too-large', detail, { issues: [{ path: '', code: 'too_large', message: detail }] });
}

/**
 * Decides whether to read the body of a request, before reading any of it: authenticates the caller and reserves the bytes. Only for
 * requests with a body.
 */
export class BodyAdmission {
  private readonly tenants = new WeakMap<IncomingMessage, string>();

  constructor(
    private readonly access: Pick<RequestAccess, 'prepare' | 'admit'>,
    private readonly bounds: HttpBounds,
  ) {}

  /** `keyless`: the route accepts requests without a key. @returns true if the body may be read; otherwise the request was answered. */
  begin(request: IncomingRequest, reply: OutgoingReply, keyless: boolean): boolean | Promise<boolean> {
    const wait = keyless ? undefined : this.access.prepare(request);
    if (!wait) return this.admit(request, reply, keyless, undefined);
    // Verifying a token takes time; the body arrives in the meantime.
    const held = this.reserve(request, reply);
    return held ? wait.then(() => this.admit(request, reply, keyless, held)) : false;
  }

  /** As `begin`, for a request with an API key, which needs no wait. */
  beginWithKey(request: IncomingRequest, reply: OutgoingReply): boolean {
    return this.admit(request, reply, false, undefined);
  }

  /** Handles a complete body. Large bodies take turns by tenant; those without a key count as one tenant. */
  inTurn(request: IncomingMessage, bytes: number, handle: () => void): void {
    this.bounds.inTurn(request, this.tenants.get(request) ?? '', bytes, handle);
  }

  private admit(request: IncomingRequest, reply: OutgoingReply, keyless: boolean, held: BodyReservation | undefined): boolean {
    const caller = keyless ? undefined : this.access.admit(request, []);
    if (caller instanceof Refusal) {
      held?.release();
      return this.refuse(request, reply, caller, 'unauthenticated_body', KEYLESS);
    }
    const max = keyless ? KEYLESS_BODY_BYTES_MAX : BODY_BYTES_MAX;
    const length = Number(request.headers['content-length'] ?? 0);
    if (length > max) {
      held?.release();
      return this.refuse(request, reply, tooLarge(String(length), max), undefined, keyless ? KEYLESS : KEYED);
    }
    const reservation = held ?? this.reserve(request, reply);
    if (!reservation) return false;
    const over = caller && reservation.assign(caller.tenant_id);
    if (over) return this.overrun(request, reply, over, reservation);
    if (caller) this.tenants.set(request.raw, caller.tenant_id);
    this.receive(request, reply, reservation, max);
    return true;
  }

  /** Reserves the announced bytes until the request is answered or its connection closes. */
  private reserve(request: IncomingRequest, reply: OutgoingReply): BodyReservation | undefined {
    const { raw, headers } = request;
    const length = Math.min(Number(headers['content-length'] ?? 0), BODY_BYTES_MAX);
    const address = this.bounds.addressOf(raw.socket, headerOf(request, 'x-forwarded-for'));
    const reservation = this.bounds.budget.reserve(address, length);
    if (isOverrun(reservation)) {
      this.overrun(request, reply, reservation);
      return undefined;
    }
    this.bounds.untilAnswered(raw, reply.raw, () => reservation.release());
    return reservation;
  }

  private receive(request: IncomingRequest, reply: OutgoingReply, reservation: BodyReservation, max: number): void {
    const { raw, headers } = request;
    if (headers.expect !== undefined) reply.raw.writeContinue();
    const watched = this.bounds.pace.watch(raw, () => this.refuse(request, reply, this.tooSlow(), 'body_too_slow', KEYLESS));
    reply.raw.once('close', watched);
    if (headers['transfer-encoding'] !== undefined) this.count(request, reply, reservation, max);
  }

  /** Reserves a body without a length as it arrives. Bytes beyond the maximum are not kept. */
  private count(request: IncomingRequest, reply: OutgoingReply, reservation: BodyReservation, max: number): void {
    let bytes = 0;
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      const over = bytes > max ? undefined : reservation.grow(chunk.length);
      if (bytes <= max && !over) return;
      request.raw.off('data', count);
      if (over) this.overrun(request, reply, over, reservation);
      else this.refuse(request, reply, tooLarge(`more than ${max}`, max), undefined, KEYED);
    };
    request.raw.on('data', count);
  }

  private tooSlow(): Problem {
    const least = this.bounds.pace.bytes_per_s_min;
    const detail = `the body arrived at less than ${least} bytes a second over 10 s: send it faster or in smaller requests`;
    return new Refusal('request-timeout', detail, { issues: [{ path: '', code: 'too_slow', message: detail }] });
  }

  private overrun(request: IncomingRequest, reply: OutgoingReply, over: Overrun, reservation?: BodyReservation): false {
    reservation?.release();
    return this.refuse(request, reply, overrunProblem(over), `body_bytes_${over.scope}`, KEYLESS);
  }

  private refuse(request: IncomingRequest, reply: OutgoingReply, problem: Problem, reason: HttpRefusal | undefined, left: Leniency): false {
    if (reason) this.bounds.metrics.refused(reason);
    dropUnread(request.raw, left);
    endAfterAnswer(request.raw, reply, left);
    sendProblem(request, reply, problem);
    return false;
  }
}
