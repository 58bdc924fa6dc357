import { createServer, type Server } from 'node:http';

const BUSY = 429;

/** A proxy on loopback that passes requests on, up to the first whose path or body has this text: all later ones are refused as too many. */
export async function busyProxy(upstream: URL, text: string): Promise<{ url: URL; server: Server }> {
  const state = { busy: false };
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    if (state.busy) return void response.writeHead(BUSY).end();
    state.busy = `${request.url} ${body.toString('utf8')}`.includes(text);
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const address = new URL(request.url as string, upstream);
    const answer = await fetch(address, { method: 'POST', headers: headers as Record<string, string>, body });
    const type = answer.headers.get('content-type') ?? 'text/plain';
    response.writeHead(answer.status, { 'content-type': type }).end(await answer.text());
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const url = new URL(upstream);
  url.port = String((server.address() as { port: number }).port);
  return { url, server };
}
