import type { RequestListener, Server } from 'node:http';
import { type Logger, NestLogger } from '@countersign/process';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { BodyAdmission } from './bounds/body-admission.js';
import { admitBeforeBody, boundConnections, serveRequests } from './bounds/bounded-server.js';
import { BODY_BYTES_MAX } from './bounds/http-limits.js';
import { type InTurn, type ParseJson, takeOnlyJson } from './bounds/json-bodies.js';
import { HEADERS_TOO_SLOW, refuseUnread, refuseUnrouted } from './bounds/unread-requests.js';
import { takeYaml } from './bounds/yaml-bodies.js';
import { CallPosts } from './calls/call-posts.service.js';
import { DirectCalls, type DirectPosts } from './calls/direct-calls.js';
import { GatewayModule, type GatewayParts } from './gateway.module.js';
import { isPublic } from './http/access.decorator.js';
import { REQUEST_ID_HEADER, requestIdOf } from './http/request-id.js';
import { answerInJsonRpc } from './mcp/rpc-problems.js';

const CONNECTIONS_CHECKED_EVERY_MS = 1_000;

/** Routes the simplest form of `POST /v1/calls` past the router, to the same service. */
function takeDirectCalls(app: NestFastifyApplication, parse: ParseJson, admission: BodyAdmission, { access, bounds }: GatewayParts): void {
  const calls = app.get(CallPosts, { strict: false });
  const posts: DirectPosts = {
    admit: (request, reply) => admission.beginWithKey(request, reply),
    submit: (request, reply) => calls.submitDirectly(request, reply),
    fault: (request, reply, cause) => access.fault(request, reply, cause),
  };
  const direct = new DirectCalls(posts, parse, BODY_BYTES_MAX);
  const server = app.getHttpServer() as Server;
  const routed = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  boundConnections(server, bounds);
  serveRequests(server, (request, response) => {
    if (direct.takes(request)) return direct.serve(request, response);
    response.setHeader(REQUEST_ID_HEADER, requestIdOf(request));
    for (const listener of routed) listener(request, response);
  });
}

/** Creates the HTTP application; it does not listen yet. An uncaught error of a handler becomes a problem document. */
export async function createHttpApp(parts: GatewayParts, logger: Logger): Promise<NestFastifyApplication> {
  const { bounds } = parts;
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_BYTES_MAX,
    routerOptions: { maxParamLength: 300 },
    forceCloseConnections: true,
    frameworkErrors: refuseUnrouted,
    http: { headersTimeout: bounds.limits.headers_timeout_ms, connectionsCheckingInterval: CONNECTIONS_CHECKED_EVERY_MS },
    clientErrorHandler: (error, socket) => {
      if (error.code === HEADERS_TOO_SLOW) bounds.metrics.refused('headers_too_slow');
      refuseUnread(error, socket);
    },
  });
  const admission = new BodyAdmission(parts.access, bounds);
  const inTurn: InTurn = (request, bytes, handle) => admission.inTurn(request, bytes, handle);
  const parse = takeOnlyJson(adapter.getInstance(), inTurn);
  takeYaml(adapter.getInstance(), inTurn, parts.access);
  admitBeforeBody(adapter.getInstance(), admission, parts.access, isPublic);
  answerInJsonRpc(adapter.getInstance(), parts.mcp.settings);
  const app = await NestFactory.create<NestFastifyApplication>(GatewayModule.of(parts, logger), adapter, {
    bodyParser: false,
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  takeDirectCalls(app, parse, admission, parts);
  return app;
}
