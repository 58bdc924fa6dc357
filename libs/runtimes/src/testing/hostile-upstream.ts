// An MCP server that breaks what it can. Run: `node hostile-upstream.js MODE`, over stdio; specs use `hostileAnswers` over HTTP, too.
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createInterface } from 'node:readline';

interface Message {
  id?: number | string;
  method?: string;
  params?: {
    name?: string;
    protocolVersion?: string;
    cursor?: string;
    _meta?: { progressToken?: number };
    arguments?: Record<string, unknown>;
  };
}

const line = (message: object): string => JSON.stringify({ jsonrpc: '2.0', ...message });
const text = (of: string) => ({ content: [{ type: 'text', text: of }] });
const plain = (name: string) => ({ name, description: `the tool ${name}`, inputSchema: { type: 'object' } });
const nested = (levels: number): string => `${'{"properties":{"a":'.repeat(levels)}{}${'}}'.repeat(levels)}`;

/** Lists of tools, by mode. */
const lists: Readonly<Record<string, (cursor: string | undefined) => object>> = {
  'big-description': () => ({ tools: [plain('good'), { ...plain('loud'), description: 'x'.repeat(1_000_000) }] }),
  'many-tools': () => ({ tools: Array.from({ length: 5_000 }, (_, at) => plain(`tool-${at}`)) }),
  'endless-pages': (cursor) => ({ tools: [], nextCursor: String(Number(cursor ?? 0) + 1) }),
  'same-cursor': () => ({ tools: [plain('a')], nextCursor: 'again' }),
  'two-pages': (cursor) => (cursor ? { tools: [plain('second')] } : { tools: [plain('first')], nextCursor: 'two' }),
  twins: () => ({ tools: [plain('twin'), plain('good'), plain('twin')] }),
  'no-list': () => ({ tools: 'none' }),
  'odd-tools': () => ({
    tools: [
      plain('good'),
      null,
      5,
      { name: 'bare' },
      { ...plain('x'), name: 'new\nline' },
      { ...plain('arr'), inputSchema: [] },
      { ...plain('deep'), inputSchema: JSON.parse(nested(200)) },
    ],
  }),
  secret: () => ({ tools: [{ ...plain('echo'), description: `the key is ${process.env.API_KEY ?? 'not set'}` }] }),
};

/** Answers of tools, as the lines that are written. Undefined: it stalls. */
const tools: Readonly<Record<string, (message: Message) => string[] | undefined>> = {
  echo: ({ id, params }) => [line({ id, result: text(JSON.stringify(params?.arguments ?? {})) })],
  pid: ({ id }) => [line({ id, result: text(String(process.pid)) })],
  environment: ({ id }) => [line({ id, result: text(JSON.stringify(process.env)) })],
  stall: () => undefined,
  twice: ({ id }) => [line({ id, result: text('first') }), line({ id, result: text('second') })],
  reused: ({ id }) => [line({ id: Number(id) + 1, result: text('of another') }), line({ id, result: text('own') })],
  'as-text': ({ id }) => [line({ id: String(id), result: text('text id') })],
  wrong: ({ id }) => [line({ id, result: { content: 'no list', structuredContent: 5 } })],
  large: ({ id }) => [line({ id, result: text('x'.repeat(2_000_000)) })],
  giant: () => ['x'.repeat(40_000_000)],
  garbage: () => Array.from({ length: 200 }, () => 'this is no message'),
  'some-garbage': ({ id }) => ['listening on nothing', '{"a":1}', line({ id, result: text('after garbage') })],
  deep: ({ id }) => [`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":${nested(20_000)}}}`],
  flood: () => Array.from({ length: 20_000 }, () => line({ method: 'notifications/message', params: { level: 'info', data: 'x' } })),
  fails: ({ id }) => [line({ id, result: { ...text('no such account'), isError: true } })],
  refuses: ({ id }) => [line({ id, error: { code: -32602, message: 'no such tool' } })],
  breaks: ({ id }) => [line({ id, error: { code: -32603, message: 'database is gone' } })],
  asks: ({ id }) => [
    line({ id: 'q1', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }),
    line({
      id: 'q2',
      method: 'elicitation/create',
      params: { message: 'your password?', requestedSchema: { type: 'object', properties: {} } },
    }),
    line({ id: 'q3', method: 'roots/list' }),
    line({ id, result: text('asked') }),
  ],
  changes: ({ id }) => [
    ...Array.from({ length: 50 }, () => line({ method: 'notifications/tools/list_changed' })),
    line({ id, result: text('changed') }),
  ],
  counts: ({ id, params }) => {
    appendFileSync(String(params?.arguments?.file), 'called\n');
    return params?.arguments?.answers === true ? [line({ id, result: text('counted') })] : undefined;
  },
};

function handshake(mode: string, { id, params }: Message): object {
  const capabilities = { tools: { listChanged: true } };
  const serverInfo = { name: 'hostile', version: '9' };
  return {
    id,
    result: { protocolVersion: mode === 'odd-version' ? '1999-01-01' : (params?.protocolVersion ?? ''), capabilities, serverInfo },
  };
}

/** The lines that a server of this mode answers to one message. Undefined: it stalls. */
export function hostileAnswers(mode: string, message: Message): string[] | undefined {
  const { id, method, params } = message;
  if (method === 'initialize') return mode === 'mute' ? undefined : [line(handshake(mode, message))];
  if (method === 'tools/list') return [line({ id, result: lists[mode]?.(params?.cursor) ?? { tools: Object.keys(tools).map(plain) } })];
  if (method === 'tools/call') return tools[params?.name ?? '']?.(message) ?? undefined;
  return id === undefined || method === undefined ? [] : [line({ id, error: { code: -32601, message: 'no such method' } })];
}

const outcomeOf = (act: () => string): string => {
  try {
    return act();
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code ?? 'failed';
  }
};

/** Answers that take a while, by tool. */
const slowTools: Readonly<Record<string, (given: Record<string, unknown>) => Promise<string>>> = {
  read: async ({ file }) => outcomeOf(() => readFileSync(String(file), 'latin1').slice(0, 100)),
  write: async ({ file, bytes = 1 }) => outcomeOf(() => appendFileSync(String(file), Buffer.alloc(Number(bytes))) ?? 'written'),
  user: async () => String(process.getuid?.()),
  connect: ({ host }) =>
    new Promise((resolve) => {
      const { hostname, port } = new URL(process.env.HTTPS_PROXY ?? 'http://127.0.0.1:1');
      const asked = request({ host: hostname, port, method: 'CONNECT', path: String(host) });
      asked.once('connect', ({ statusCode }, socket) => {
        socket.once('data', (bytes: Buffer) => resolve(`${statusCode} ${bytes.toString()}`));
        socket.once('end', () => resolve(String(statusCode)));
        if (statusCode === 200) socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
        else resolve(String(statusCode));
      });
      asked.once('error', ({ message }) => resolve(message));
      asked.end();
    }),
  direct: ({ host, port }) =>
    new Promise((resolve) => {
      request({ host: String(host), port: Number(port) })
        .once('response', () => resolve('reached'))
        .once('error', (cause) => resolve((cause as NodeJS.ErrnoException).code ?? cause.message))
        .end();
    }),
};

/** Things that only a process can do. */
const acts: Readonly<Record<string, () => void>> = {
  die: () => process.abort(),
  memory: () => {
    const held: Buffer[] = [];
    setInterval(() => held.push(Buffer.alloc(32 * 1024 * 1024, 1)), 1).unref();
  },
  fork: () => {
    setInterval(() => spawn('/bin/sleep', ['60'], { stdio: 'ignore' }).on('error', () => undefined), 1).unref();
  },
  deaf: () => process.stdin.pause(),
};

function serve(mode: string): void {
  if (mode === 'ends') return;
  process.stderr.write(`the key is ${process.env.API_KEY ?? 'not set'}\n`);
  if (mode === 'fails-to-start') {
    process.exitCode = 3;
    return;
  }
  createInterface({ input: process.stdin }).on('line', (given) => {
    const message = JSON.parse(given) as Message;
    if (mode === 'ends-at-once' && message.method === 'server/discover') process.abort();
    if (message.method === undefined) appendFileSync(mode.startsWith('/') ? mode : '/dev/null', `${given}\n`);
    acts[message.method === 'tools/call' ? (message.params?.name ?? '') : '']?.();
    const slow = message.method === 'tools/call' ? slowTools[message.params?.name ?? ''] : undefined;
    if (slow)
      void slow(message.params?.arguments ?? {}).then((found) =>
        process.stdout.write(`${line({ id: message.id, result: text(found) })}\n`),
      );
    else for (const answer of hostileAnswers(mode, message) ?? []) process.stdout.write(`${answer}\n`);
  });
}

if (process.argv[1]?.endsWith('hostile-upstream.js')) serve(process.argv[2] ?? '');
