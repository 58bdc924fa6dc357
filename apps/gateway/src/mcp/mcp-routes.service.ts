import { createMcpHandler, isLegacyRequest, type McpHandlerRequestOptions } from '@modelcontextprotocol/server';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { HttpRequest } from '../http/reply.js';
import type { Exchange } from './exchange.js';
import { McpExtensions } from './mcp-extension.js';
import { McpServers } from './mcp-servers.service.js';
import { McpSessions } from './mcp-sessions.service.js';
import { refusedTaskNotifications } from './task-extension.js';
import { ToolListBus } from './tool-list-bus.js';
import { ToolListChanges } from './tool-list-changes.service.js';
import type { Lister } from './tool-listing.service.js';

const SUBSCRIBE = 'subscriptions/listen';

const methodOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null ? (body as { method?: unknown }).method : undefined;

/** A response that stays open until its client leaves. */
export const staysOpen = ({ method, body }: Pick<HttpRequest, 'method' | 'body'>): boolean =>
  method === 'GET' || methodOf(body) === SUBSCRIBE;

/** A request as the SDK sees it, and the facts of it that the SDK does not see. */
export interface RoutedRequest {
  seen: Request;
  options: McpHandlerRequestOptions;
  exchange: Exchange;
  /** As the credential of the request is now. */
  lister(): Lister;
  /** Called once when the response is closed. */
  onClose(work: () => void): void;
}

/** Serves a request by the revision of its client: those of 2026-07-28 stand alone, earlier ones belong to a session. */
@Injectable()
export class McpRoutes implements OnModuleDestroy {
  private readonly alone = createMcpHandler(() => this.servers.open('modern'), { legacy: 'reject' });

  constructor(
    private readonly servers: McpServers,
    private readonly sessions: McpSessions,
    private readonly changes: ToolListChanges,
    private readonly extensions: McpExtensions,
  ) {}

  onModuleDestroy(): Promise<void> {
    return this.alone.close();
  }

  async serve(request: RoutedRequest): Promise<Response> {
    const { seen, options } = request;
    if (await isLegacyRequest(seen, options.parsedBody)) return this.inSession(request);
    return methodOf(options.parsedBody) === SUBSCRIBE ? this.subscribe(request) : this.alone.fetch(seen, options);
  }

  /** The stream of a session also carries the changes of its list of tools. */
  private async inSession({ seen, options, exchange, lister, onClose }: RoutedRequest): Promise<Response> {
    const response = await this.sessions.serve(seen, exchange, options);
    if (seen.method !== 'GET' || !response.ok) return response;
    const server = this.sessions.serverOf(seen, exchange);
    onClose(this.changes.watch(lister, () => void server?.sendToolListChanged().catch(() => undefined)));
    return response;
  }

  private async subscribe({ seen, options, lister }: RoutedRequest): Promise<Response> {
    const refused = refusedTaskNotifications(options.parsedBody);
    if (refused) return refused;
    const bus = new ToolListBus((notify) => this.changes.watch(lister, notify), this.extensions.loaded?.events);
    return createMcpHandler(() => this.servers.open('modern'), { legacy: 'reject', bus }).fetch(seen, options);
  }
}
