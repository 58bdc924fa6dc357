const TASKS = 'io.modelcontextprotocol/tasks';
const VERSION = '2026-07-28';

/** The response to one message. */
export interface RpcAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: results of any shape
  result: any;
  error: { code: number; message: string; data?: unknown } | undefined;
}

export interface RpcClient {
  url: string;
  key: string;
  /** Declares the tasks extension; default true. */
  tasks?: boolean;
  headers?: Record<string, string>;
}

const nameOf = ({ name, taskId }: Record<string, unknown>): string | undefined => (name ?? taskId) as string | undefined;

function messageOf(text: string, type: string): Record<string, unknown> {
  if (!type.includes('event-stream')) return text === '' ? {} : JSON.parse(text);
  const data = text.split('\n').filter((line) => line.startsWith('data: '));
  return JSON.parse((data.at(-1) as string).slice(6));
}

/** Sends one message of 2026-07-28. The client of the SDK knows no tasks. */
export async function rpc(
  { url, key, tasks = true, headers = {} }: RpcClient,
  method: string,
  params: Record<string, unknown> = {},
): Promise<RpcAnswer> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'spec', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': tasks ? { extensions: { [TASKS]: {} } } : {},
  };
  const name = nameOf(params);
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': name }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  });
  const { result, error } = messageOf(await response.text(), response.headers.get('content-type') ?? '');
  return { status: response.status, result, error: error as RpcAnswer['error'] };
}
