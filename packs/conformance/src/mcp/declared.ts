import { CLIENT_CAPABILITIES_META_KEY, type ClientCapabilities, type ServerContext } from '@modelcontextprotocol/server';

/** The capabilities that a request of 2026-07-28 declares. */
export function declaredBy({ mcpReq }: Pick<ServerContext, 'mcpReq'>): ClientCapabilities | undefined {
  const envelope = mcpReq.envelope as Record<string, unknown> | undefined;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
}
