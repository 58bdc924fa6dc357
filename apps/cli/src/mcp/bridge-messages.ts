import { type JSONRPCErrorResponse, type JSONRPCRequest, PROTOCOL_VERSION_META_KEY, SdkHttpError } from '@modelcontextprotocol/client';

/** An error of the server that JSON-RPC has no code for. */
const SERVER_ERROR = -32_000;
const SESSION_NOT_FOUND = -32_001;

/** True for a request of 2026-07-28 or later, which belongs to no session. */
export const isModern = ({ params }: Pick<JSONRPCRequest, 'params'>): boolean =>
  typeof (params?._meta as Record<string, unknown> | undefined)?.[PROTOCOL_VERSION_META_KEY] === 'string';

/** The JSON-RPC error in the body of an HTTP error, if there is one. */
function errorIn(text: unknown): JSONRPCErrorResponse['error'] | undefined {
  try {
    const { error } = JSON.parse(String(text)) as Partial<JSONRPCErrorResponse>;
    return typeof error?.code === 'number' && typeof error.message === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}

const errorOf = (cause: Error) => (cause instanceof SdkHttpError ? errorIn(cause.data?.text) : undefined);

/** True if the gateway does not know the session of the request. */
export const lostSession = (cause: SdkHttpError): boolean => errorOf(cause)?.code === SESSION_NOT_FOUND;

/** The answer to a request that the gateway refused, or that did not reach it. */
export function errorResponse({ id }: Pick<JSONRPCRequest, 'id'>, cause: Error): JSONRPCErrorResponse {
  return { jsonrpc: '2.0', id, error: errorOf(cause) ?? { code: SERVER_ERROR, message: cause.message } };
}
