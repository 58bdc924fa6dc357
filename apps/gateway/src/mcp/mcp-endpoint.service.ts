import { type Caller, Refusal } from '@countersign/calls';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { Injectable } from '@nestjs/common';
import type { Problem } from '../http/problem.js';
import type { HttpReply, HttpRequest } from '../http/reply.js';
import { RequestAccess } from '../http/request-access.js';
import { OpenStreams } from '../streams/open-streams.js';
import { DirectAnswers } from './direct-answers.service.js';
import { type Exchange, exchangeOf, sdkRequest } from './exchange.js';
import { McpRoutes, staysOpen } from './mcp-routes.service.js';
import { McpStream } from './mcp-stream.js';
import type { Lister } from './tool-listing.service.js';

/** `/mcp`: Streamable HTTP. */
@Injectable()
export class McpEndpoint {
  constructor(
    private readonly routes: McpRoutes,
    private readonly streams: OpenStreams,
    private readonly access: RequestAccess,
    private readonly direct: DirectAnswers,
  ) {}

  /** Responds through `reply`. @returns a problem: then it has not responded. */
  async serve(request: HttpRequest, reply: HttpReply, caller: Caller): Promise<Problem | undefined> {
    const { raw } = reply;
    if (staysOpen(request)) {
      const held = this.streams.hold(request, raw, new McpStream(raw, caller, performance.now()), 'mcp');
      if (held instanceof Refusal) return held;
    }
    const exchange = exchangeOf(request, caller);
    const plain = this.direct.callOf(request);
    reply.hijack();
    await (plain ? this.direct.answer(plain, exchange, raw) : this.serveBySdk(request, raw, exchange));
    return undefined;
  }

  private serveBySdk(request: HttpRequest, raw: HttpReply['raw'], exchange: Exchange): Promise<void> {
    const around = { exchange, lister: this.listerOf(request, exchange), onClose: (work: () => void) => raw.once('close', work) };
    const respond = toNodeHandler(
      { fetch: (seen, options) => this.routes.serve({ seen, options: options ?? {}, ...around }) },
      { onerror: (cause) => this.access.problemOf(cause, request) },
    );
    return respond(sdkRequest(request, exchange), raw, request.body);
  }

  /** Reads the rights of the credential each time: they may change while a stream is open. */
  private listerOf(request: HttpRequest, exchange: Exchange): () => Lister {
    return () => {
      const caller = this.access.admit(request, []);
      return caller instanceof Refusal ? exchange : { ...exchange, caller };
    };
  }
}
