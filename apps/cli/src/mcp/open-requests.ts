import { isJSONRPCRequest, type JSONRPCMessage, type JSONRPCRequest, type RequestId } from '@modelcontextprotocol/client';

/** Key of the gateway in the `_meta` of a progress notification: the call that makes progress. */
const CALL_ID = 'dev.countersign/call_id';
/** Tokens of clients cannot begin with it by chance. */
const OWN_TOKEN = 'countersign-stdio:';

interface OpenRequest {
  message: JSONRPCRequest;
  giving_up: AbortController;
  call_id: string | undefined;
  /** The client has cancelled it: it gets no answer. */
  is_cancelled: boolean;
}

/** A call that its client cancelled while the request was open. */
export interface CancelledCall {
  call_id: string;
  reason: string | undefined;
}

interface Meta {
  progressToken?: string | number;
  [key: string]: unknown;
}

const metaOf = ({ params }: { params?: unknown }): Meta => ((params as { _meta?: Meta } | undefined)?._meta ?? {}) as Meta;

/** With a progress token, by which the gateway reports the id of the call. */
function withToken(message: JSONRPCRequest): JSONRPCRequest {
  if (message.method !== 'tools/call' || metaOf(message).progressToken !== undefined) return message;
  const _meta = { ...metaOf(message), progressToken: `${OWN_TOKEN}${message.id}` };
  return { ...message, params: { ...message.params, _meta } } as JSONRPCRequest;
}

/** The requests of the client of one stdio connection that are not answered yet. */
export class OpenRequests {
  private readonly open = new Map<RequestId, OpenRequest>();

  constructor(private readonly cancel: (call: CancelledCall) => void) {}

  /** @returns the message to send, and the signal that its client gave it up. */
  add(message: JSONRPCRequest): { message: JSONRPCRequest; signal: AbortSignal } {
    const giving_up = new AbortController();
    const sent = withToken(message);
    this.open.set(message.id, { message: sent, giving_up, call_id: undefined, is_cancelled: false });
    return { message: sent, signal: giving_up.signal };
  }

  /** Cancels a request as soon as its call is known; until then the call may not even be recorded. */
  cancelled(id: RequestId, reason: string | undefined): void {
    const request = this.open.get(id);
    if (!request || request.is_cancelled) return;
    request.is_cancelled = true;
    if (request.message.method !== 'tools/call') request.giving_up.abort();
    else if (request.call_id !== undefined) this.stop(request, reason);
  }

  /** Takes a message of the gateway. @returns whether the client shall see it. */
  received(message: JSONRPCMessage): boolean {
    if (isJSONRPCRequest(message)) return true;
    if ('method' in message) return message.method !== 'notifications/progress' || this.progressed(message.params ?? {});
    return message.id === undefined || this.answered(message.id);
  }

  /** Removes the request. @returns whether its client still waits. */
  answered(id: RequestId): boolean {
    const request = this.open.get(id);
    this.open.delete(id);
    return request?.is_cancelled !== true;
  }

  private progressed(params: Record<string, unknown>): boolean {
    const token = params.progressToken;
    const call_id = metaOf({ params })[CALL_ID];
    const request = [...this.open.values()].find(({ message }) => metaOf(message).progressToken === token);
    if (request && typeof call_id === 'string') {
      request.call_id = call_id;
      if (request.is_cancelled) this.stop(request, undefined);
    }
    return !request?.is_cancelled && !String(token).startsWith(OWN_TOKEN);
  }

  private stop({ call_id, giving_up }: OpenRequest, reason: string | undefined): void {
    this.cancel({ call_id: call_id as string, reason });
    giving_up.abort();
  }
}
