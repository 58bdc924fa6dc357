import { DEFAULT_TENANT } from '@countersign/contracts';
import { Controller, Get, Inject, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { z } from 'zod';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { Public } from '../http/access.decorator.js';
import { Answer } from '../http/answer.decorator.js';
import type { HttpRequest } from '../http/reply.js';
import { MCP_SETTINGS, type McpSettings } from './mcp-settings.js';
import { baseUrl, resourceMetadata } from './protected-resource.js';

const metadata = z.object({
  resource: z.string(),
  authorization_servers: z.array(z.string()).optional().describe('issuers of tokens for this gateway; absent: only API keys are accepted'),
  bearer_methods_supported: z.array(z.string()),
  resource_name: z.string(),
  resource_documentation: z.string(),
});

/** The metadata of the protected resource `/mcp` (RFC 9728): at its own path and at the root, where clients look next. */
@ApiExcludeController()
@Controller('.well-known')
export class ProtectedResourceController {
  constructor(
    private readonly configuration: ConfigurationService,
    @Inject(MCP_SETTINGS) private readonly settings: McpSettings,
  ) {}

  @Get(['oauth-protected-resource/mcp', 'oauth-protected-resource'])
  @Public()
  @Answer(metadata)
  read(@Req() request: HttpRequest) {
    return resourceMetadata(baseUrl(this.settings, request), this.issuers());
  }

  private issuers(): string[] {
    const { authorization_servers } = this.settings;
    if (authorization_servers.length > 0) return [...authorization_servers];
    const providers = this.configuration.state.by_tenant.get(DEFAULT_TENANT)?.identity_providers.values() ?? [];
    return [...new Set([...providers].map(({ issuer }) => issuer))].sort();
  }
}
