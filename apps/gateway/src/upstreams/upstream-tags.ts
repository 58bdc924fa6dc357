import { createHash } from 'node:crypto';
import { itemNames, type UpstreamTool } from '@countersign/domain';
import type { ConfigurationService } from '../configuration/configuration.service.js';

type Versions = Pick<ConfigurationService, 'etag'>;

const tagOf = (parts: readonly (string | undefined)[]): string =>
  `"u${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)}"`;

/** The ETag of a tool of an upstream: another one after each classification, each other definition and each change of its state. */
export function toolTag(versions: Versions, tenant_id: string, { upstream, tool, state, version, pinned, listed }: UpstreamTool): string {
  const classified = versions.etag(tenant_id, itemNames.upstream_tool(upstream, tool));
  return tagOf([upstream, tool, state, version, classified, pinned?.digest, listed?.digest]);
}

/** The ETag of all tools of an upstream, on whichever page they are. */
export const toolsTag = (versions: Versions, tenant_id: string, tools: readonly UpstreamTool[]): string =>
  tagOf(tools.map((tool) => toolTag(versions, tenant_id, tool)));
