interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

/** An HTTP response with a JSON-RPC error. `id`: of the request that it answers; null: of none in particular. */
export const rpcError = (status: number, error: RpcError, id: unknown = null): Response =>
  Response.json({ jsonrpc: '2.0', id, error }, { status });
