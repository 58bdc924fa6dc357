import { createHash } from 'node:crypto';
import { itemNames, type UpstreamTool } from '@countersign/domain';
import type { ConfigurationService } from '../configuration/configuration.service.js';

type Versions = Pick<ConfigurationService, 'etag'>;

const tagOf = (parts: readonly (string | undefined)[]): string =>
  `"u${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)}"`;

/** Another one after each classification, each other definition and each change of the state of the tool. */
function toolTag(versions: Versions, tenant_id: string, { upstream, tool, state, version, pinned, listed }: UpstreamTool): string {
  const classified = versions.etag(tenant_id, itemNames.upstream_tool(upstream, tool));
  return tagOf([upstream, tool, state, version, classified, pinned?.digest, listed?.digest]);
}

/** The current ETags of the tools of an upstream. */
export interface ToolTags {
  /** Of all of them, on whichever page they are. */
  all: string;
  /** By the name of the tool at its upstream. */
  each: ReadonlyMap<string, string>;
}

export function toolTags(versions: Versions, tenant_id: string, tools: readonly UpstreamTool[]): ToolTags {
  const each = new Map(tools.map((tool) => [tool.tool, toolTag(versions, tenant_id, tool)]));
  return { all: tagOf([...each.values()]), each };
}
