import { Refusal } from '@countersign/calls';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { type HttpRequest, headerOf } from '../http/reply.js';
import { isAllowedOrigin } from './allowed-origin.js';
import { MCP_SETTINGS, type McpSettings } from './mcp-settings.js';

/** Refuses requests of web pages from other origins: a page could reach a gateway on the machine of its reader (DNS rebinding). */
@Injectable()
export class OriginGuard implements CanActivate {
  constructor(@Inject(MCP_SETTINGS) private readonly settings: McpSettings) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<HttpRequest>();
    const origin = headerOf(request, 'origin');
    if (isAllowedOrigin(origin, this.settings)) return true;
    throw new Refusal('forbidden', 'web pages of this origin may not use MCP: see COUNTERSIGN_MCP_ORIGINS', {
      reason: 'origin_not_allowed',
    });
  }
}
