import { lookup } from 'node:dns/promises';
import type { RequestListener, Server } from 'node:http';
import { createServer, type Server as NetServer, type Socket } from 'node:net';
import { Refusal } from '@countersign/calls';
import type { FastifyInstance } from 'fastify';
import { type Problem, ProblemWithHeaders } from '../http/problem.js';
import { type HttpRequest, pathOf } from '../http/reply.js';
import type { RequestAccess } from '../http/request-access.js';
import { AllowedMethods } from './allowed-methods.js';
import { type BodyAdmission, hasBody } from './body-admission.js';
import type { HttpBounds } from './http-bounds.js';
import { dropUnread, endAfterAnswer, KEYLESS } from './unread-body.js';

/** True if the route of a request accepts requests without a key, such as `POST /v1/decisions`. */
export type IsKeyless = (request: HttpRequest) => boolean;

/** Refuses connections beyond the caps before anything is read from them. */
export function boundConnections(server: Server, { connections, metrics }: HttpBounds): void {
  const serving = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const refused = connections.admit(socket);
    if (refused) {
      metrics.refused(refused);
      socket.destroy();
    } else for (const serve of serving) serve.call(server, socket);
  });
}

/** Entry point of every request. Sends `100 Continue` only once the body may be read. */
export function serveRequests(server: Server, serve: RequestListener): void {
  const listener: RequestListener = (request, response) => {
    if (hasBody(request.headers))
      // Also bounds the rest of a body that a handler answered without reading.
      response.once('finish', () => dropUnread(request, KEYLESS));
    serve(request, response);
  };
  server.on('request', listener);
  server.on('checkContinue', listener);
}

function unroutable(request: { method: string; url: string }, methods: AllowedMethods): Problem {
  const allow = methods.of(pathOf(request.url));
  if (allow.length === 0) return new Refusal('not-found', 'no route has this path: see /openapi.json', { reason: 'route_not_found' });
  const detail = `${request.method} is not a method of this path; allowed: ${allow.join(', ')}`;
  return new ProblemWithHeaders('method-not-allowed', detail, { allowed: allow }, { allow: allow.join(', ') });
}

/** Checks each request of the router before its body: the route, the caller, and whether the body may be read. */
export function admitBeforeBody(
  server: FastifyInstance,
  admission: BodyAdmission,
  access: Pick<RequestAccess, 'prepare'>,
  isKeyless: IsKeyless,
): void {
  const methods = new AllowedMethods();
  server.addHook('onRoute', ({ url, method }) => methods.add(url, method));
  server.addHook('onRequest', (request, reply, done) => {
    const route = request.routeOptions.url;
    if (request.is404 || route === undefined || methods.isOfAnother(route, pathOf(request.url))) {
      if (hasBody(request.headers)) {
        dropUnread(request.raw, KEYLESS);
        endAfterAnswer(request.raw, reply, KEYLESS);
      }
      // Fastify passes it to the exception filter; its types allow only an Error.
      return done(unroutable(request, methods) as never);
    }
    const ready = hasBody(request.headers)
      ? admission.begin(request, reply, isKeyless(request))
      : access.prepare(request)?.then(() => true);
    if (ready === undefined || ready === true) done();
    else if (ready !== false) ready.then((admitted) => admitted && done(), done);
  });
}

/** `localhost` resolves to every loopback address of this machine; any other host to one address. */
async function addressesOf(host: string): Promise<string[]> {
  if (host !== 'localhost') return [host];
  const found = await lookup(host, { all: true });
  return [...new Set(found.map(({ address }) => address))];
}

/** Listens on additional addresses and passes their connections to the bounded server. */
export class FurtherAddresses {
  private readonly servers: NetServer[] = [];

  constructor(private readonly server: Server) {}

  /** @returns the address for the server itself, and the others. */
  static async first(host: string): Promise<{ first: string; others: string[] }> {
    const [first = host, ...others] = await addressesOf(host);
    return { first, others };
  }

  /** Skips an address that cannot be listened on: the host name still resolves to another one. */
  async listen(hosts: readonly string[], port: number, backlog: number): Promise<void> {
    for (const host of hosts) {
      const further = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.server.emit('connection', socket));
      const listening = await new Promise<boolean>((resolve) => {
        further.once('error', () => resolve(false));
        further.listen({ host, port, backlog }, () => resolve(true));
      });
      if (listening) this.servers.push(further);
    }
  }

  close(): void {
    for (const server of this.servers) server.close();
  }
}
