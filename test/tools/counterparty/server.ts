import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { Effects } from './effects.js';

/** What a caller may ask for besides the effect. */
interface Order {
  key: string;
  account: string;
  amount: number;
  note: string;
  /** Waits this long before the effect. */
  delay_ms?: number;
  /** Waits this long between the effect and the answer. */
  answer_delay_ms?: number;
  /** Drops the connection after the effect (a key done once: only the first time). */
  lose_answer?: boolean;
  /** Drops the connection instead of the effect. */
  lose_request?: boolean;
  /** Of the machine's monotonic clock; it acts before then or never: an order that a stalled machine gets to later is dropped. */
  act_before_ms?: number;
  /** This key is an effect once: a repeat gets the first answer. */
  once?: boolean;
}

/** The system that the probe tools act on: it counts effects per key and misbehaves on demand. */
export function counterpartyServer(effects: Effects): Server {
  const server = createServer((request, response) => {
    route(effects, request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    });
  });
  server.keepAliveTimeout = 60_000;
  return server;
}

async function route(effects: Effects, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://counterparty');
  if (request.method === 'POST' && url.pathname === '/effect')
    return doEffect(effects, JSON.parse(await bodyOf(request)) as Order, response);
  if (request.method === 'GET' && url.pathname === '/effects') return answer(response, await effects.of(url.searchParams.get('key') ?? ''));
  if (request.method === 'GET' && url.pathname === '/stats') return answer(response, effects.stats());
  response.writeHead(404).end();
}

async function doEffect(effects: Effects, order: Order, response: ServerResponse): Promise<void> {
  const asked_at_ms = Date.now();
  if (order.lose_request) return void response.destroy();
  if (order.delay_ms) await setTimeout(order.delay_ms);
  if (machineMs() > (order.act_before_ms ?? Number.POSITIVE_INFINITY)) return void response.destroy();
  const earlier = order.once ? effects.first(order.key) : undefined;
  const { key, account, amount, note } = order;
  const effect = earlier ?? (await effects.add({ key, account, amount, note, asked_at_ms, at_ms: Date.now() }));
  if (earlier) await effects.of(key);
  if (order.answer_delay_ms) await setTimeout(order.answer_delay_ms);
  if (order.lose_answer && !earlier) return void response.destroy();
  answer(response, effect);
}

/** The same in all processes of the machine. */
export function machineMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

function answer(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
