import type { FastifyRequest } from 'fastify';
import type { McpSettings } from './mcp-settings.js';

/** Where RFC 9728 puts the metadata of the resource `/mcp`. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource/mcp';

/** The base URL of this gateway as its clients know it, without a trailing slash. */
export function baseUrl(
  { public_url }: Pick<McpSettings, 'public_url'>,
  { protocol, headers }: Pick<FastifyRequest, 'protocol' | 'headers'>,
) {
  return public_url ?? `${protocol}://${headers.host ?? 'localhost'}`;
}

/** The metadata of the protected resource (RFC 9728). Its scopes are those of the tools; they are not listed to strangers. */
export function resourceMetadata(base: string, authorization_servers: readonly string[]) {
  return {
    resource: `${base}/mcp`,
    ...(authorization_servers.length > 0 ? { authorization_servers } : {}),
    bearer_methods_supported: ['header'],
    resource_name: 'Countersign',
    resource_documentation: `${base}/docs/how-to/mcp`,
  };
}
