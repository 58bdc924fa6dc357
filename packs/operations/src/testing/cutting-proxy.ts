import { connect, createServer, type Server } from 'node:net';

/** A proxy on loopback that passes requests on, and cuts the connection before the answer to the first request that has this text. */
export async function cuttingProxy(upstream: URL, text: string): Promise<{ url: URL; server: Server; arm(): void }> {
  const state = { armed: true };
  const server = createServer((client) => {
    const system = connect(Number(upstream.port), upstream.hostname);
    let cut = false;
    client.on('data', (part) => {
      if (state.armed && part.includes(text)) {
        state.armed = false;
        cut = true;
      }
      system.write(part);
    });
    system.on('data', (part) => (cut ? client.destroy() : client.write(part)));
    for (const socket of [client, system]) socket.on('error', () => undefined);
    client.on('close', () => system.destroy());
    system.on('close', () => client.destroy());
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const url = new URL(upstream);
  url.port = String((server.address() as { port: number }).port);
  const arm = () => {
    state.armed = true;
  };
  return { url, server, arm };
}
