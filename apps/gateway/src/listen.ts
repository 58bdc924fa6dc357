import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FurtherAddresses } from './bounds/bounded-server.js';
import type { HttpBounds } from './bounds/http-bounds.js';

/** An application that can listen, such as the HTTP application. */
interface Listening {
  getHttpServer(): unknown;
  listen(at: { port: number; host: string; backlog: number }): Promise<unknown>;
  close(): Promise<void>;
}

/** Listens on every address of the host. */
export async function listen(
  app: Listening,
  { host, port }: { host: string; port: number },
  bounds: HttpBounds,
): Promise<{ port: number; close(): Promise<void> }> {
  const { backlog } = bounds.limits;
  const server = app.getHttpServer() as Server;
  const further = new FurtherAddresses(server);
  const { first, others } = await FurtherAddresses.first(host);
  await app.listen({ port, host: first, backlog });
  const taken = (server.address() as AddressInfo).port;
  await further.listen(others, taken, backlog);
  const close = async () => {
    further.close();
    bounds.close();
    await app.close();
  };
  return { port: taken, close };
}
