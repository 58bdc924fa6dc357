import { itemsOf, wholeNumber } from '@countersign/process';
import { z } from 'zod';

/** Settings of the MCP server. */
export interface McpSettings {
  /** How long a tool call waits for its end before it is answered as pending. */
  wait_ms: number;
  /** The same for a client with tasks: then it is answered as a task. */
  task_after_ms: number;
  /** Callers that may call more tools than this get `search_tools` in place of the list. */
  tools_listed_max: number;
  /** Sessions of clients of 2025-11-25 and 2025-06-18. The one that was used least recently makes room. */
  sessions_per_tenant_max: number;
  sessions_max: number;
  session_idle_ms: number;
  /** Origins of browsers that may connect, besides that of `public_url`. */
  origins: readonly string[];
  /** Issuers that the metadata of the protected resource names; empty: those of the default tenant. */
  authorization_servers: readonly string[];
  /** Base URL of this gateway, without a trailing slash; absent: as the client addresses it. */
  public_url: string | undefined;
}

/** Tokens of the logger and the settings. */
export const MCP_LOGGER = Symbol('logger of the MCP server');
export const MCP_SETTINGS = Symbol('settings of the MCP server');

const urls = z
  .string()
  .default('')
  .transform(itemsOf)
  .superRefine((found, context) => {
    const bad = found.find((one) => !URL.canParse(one) || !/^https?:/.test(one));
    if (bad !== undefined) context.addIssue({ code: 'custom', message: `${bad} is not an http or https URL` });
  });

/** The variables. */
export const mcpSettings = {
  COUNTERSIGN_MCP_WAIT_MS: wholeNumber(0, 60_000)
    .default(20_000)
    .describe('how long a tool call over MCP waits for its end; then it is answered as pending'),
  COUNTERSIGN_MCP_TASK_AFTER_MS: wholeNumber(0, 60_000)
    .default(800)
    .describe('how long a tool call of an MCP client with tasks waits for its end; then it is answered as a task'),
  COUNTERSIGN_MCP_TOOLS_LISTED_MAX: wholeNumber(1, 1_000)
    .default(50)
    .describe('maximum of tools that `tools/list` lists; a caller of more gets `search_tools` instead'),
  COUNTERSIGN_MCP_SESSIONS_PER_TENANT_MAX: wholeNumber(1, 100_000)
    .default(1_000)
    .describe('maximum of MCP sessions (2025 revisions) of one tenant on one gateway; the least recently used one makes room'),
  COUNTERSIGN_MCP_SESSIONS_MAX: wholeNumber(1, 1_000_000).default(10_000).describe('the same for all tenants; beyond it: 503'),
  COUNTERSIGN_MCP_SESSION_IDLE_MS: wholeNumber(10_000, 86_400_000)
    .default(1_800_000)
    .describe('an MCP session that is not used for this long ends; its client starts again'),
  COUNTERSIGN_MCP_ORIGINS: urls.describe(
    'origins of web pages that may use MCP, besides that of `COUNTERSIGN_PUBLIC_URL` (comma-separated)',
  ),
  COUNTERSIGN_MCP_AUTHORIZATION_SERVERS: urls.describe(
    'issuers that MCP clients are referred to for a token (comma-separated); unset: the identity providers of the default tenant',
  ),
};

const schema = z.object(mcpSettings);

export function mcpSettingsOf(settings: z.output<typeof schema>, public_url: string | undefined): McpSettings {
  return {
    wait_ms: settings.COUNTERSIGN_MCP_WAIT_MS,
    task_after_ms: settings.COUNTERSIGN_MCP_TASK_AFTER_MS,
    tools_listed_max: settings.COUNTERSIGN_MCP_TOOLS_LISTED_MAX,
    sessions_per_tenant_max: settings.COUNTERSIGN_MCP_SESSIONS_PER_TENANT_MAX,
    sessions_max: settings.COUNTERSIGN_MCP_SESSIONS_MAX,
    session_idle_ms: settings.COUNTERSIGN_MCP_SESSION_IDLE_MS,
    origins: settings.COUNTERSIGN_MCP_ORIGINS.map((one) => new URL(one).origin),
    authorization_servers: settings.COUNTERSIGN_MCP_AUTHORIZATION_SERVERS,
    public_url: public_url?.replace(/\/+$/, ''),
  };
}

/** Settings without any variable. */
export const defaultMcpSettings: McpSettings = mcpSettingsOf(schema.parse({}), undefined);
