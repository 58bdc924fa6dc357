// The ways in that a bench drives: how a call is sent, and where its output stands in the answer.
const REVISION = '2026-07-28';

const succeeded = (text, status, output) => {
  if (status !== 'succeeded' || output?.ok !== true) throw new Error(text.slice(0, 300));
  return output;
};

const post = {
  request: (tool, inputs, key, case_id) => ({
    path: '/v1/calls',
    headers: { prefer: 'wait=30', 'idempotency-key': key },
    body: JSON.stringify({ tool, inputs, case_id }),
  }),
  output: (text) => {
    const { status, output } = JSON.parse(text);
    return succeeded(text, status, output);
  },
};

/** `tools/call` of 2026-07-28, as a client of the SDK sends it. */
const mcp = {
  request: (tool, inputs, key) => ({
    path: '/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': tool,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: tool,
        arguments: inputs,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': REVISION,
          'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
          'io.modelcontextprotocol/clientCapabilities': {},
          'dev.countersign/call': { idempotency_key: key },
        },
      },
    }),
  }),
  output: (text) => {
    const { structuredContent, _meta } = JSON.parse(text).result ?? {};
    return succeeded(text, _meta?.['dev.countersign/call']?.status, structuredContent);
  },
};

export const ways = { post, mcp };
