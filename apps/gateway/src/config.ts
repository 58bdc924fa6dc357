import { type Proxies, proxySettings } from '@countersign/outbound';
import { type Environment, flag, list, type ParsedConfig, readSettings, wholeNumber } from '@countersign/process';
import { z } from 'zod';
import { type HttpLimits, httpLimits, httpSettings } from './bounds/http-limits.js';
import { type McpSettings, mcpSettings, mcpSettingsOf } from './mcp/mcp-settings.js';
import { type SessionSettings, sessionSettings, sessionSettingsOf } from './sessions/session-settings.js';
import type { StreamLimits } from './streams/stream-places.js';
import { upstreamSettings } from './upstreams/upstream-settings.js';

export interface StreamSettings extends StreamLimits {
  /** A stream is closed at this age; its reader reconnects. */
  age_max_ms: number;
}

export const DEFAULT_STREAMS: StreamSettings = { gateway_max: 5_000, tenant_max: 1_000, principal_max: 100, age_max_ms: 900_000 };

/** The variables of the gateway. */
export const gatewayVariables = z.object({
  COUNTERSIGN_HOST: z.string().min(1).default('127.0.0.1').describe('address that the gateway listens on'),
  COUNTERSIGN_PORT: wholeNumber(0, 65_535).default(7070).describe('port that the gateway listens on; 0: any free port'),
  COUNTERSIGN_CALLBACK_ALLOW_PRIVATE: flag.describe('allow `callback_url` and webhooks at loopback and private addresses'),
  COUNTERSIGN_SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe('`smtp://user:password@host:port` of the mail server for mail channels; unset: mail channels are refused'),
  COUNTERSIGN_MAIL_FROM: z.string().min(1).default('countersign@localhost').describe('sender address of mails'),
  COUNTERSIGN_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('base URL of links in messages; unset: the listen address of the gateway'),
  COUNTERSIGN_IDENTITY_ALLOW_PRIVATE: flag.describe('allow OpenID providers and token endpoints at private addresses, with plain http'),
  COUNTERSIGN_TOOL_ENDPOINTS_PRIVATE: list('').describe(
    'hosts of private networks (`host` or `host:port`) that endpoints of registered tools may use, also with plain http',
  ),
  ...upstreamSettings,
  ...httpSettings,
  ...mcpSettings,
  ...sessionSettings,
  COUNTERSIGN_TEST_STRICT_ANSWERS: flag,
  COUNTERSIGN_STREAMS_MAX: wholeNumber(1, 100_000)
    .default(DEFAULT_STREAMS.gateway_max)
    .describe('maximum of event streams open on one gateway; beyond it: 503'),
  COUNTERSIGN_STREAMS_PER_TENANT_MAX: wholeNumber(1, 100_000)
    .default(DEFAULT_STREAMS.tenant_max)
    .describe('maximum of event streams of one tenant; beyond it: 429'),
  COUNTERSIGN_STREAMS_PER_PRINCIPAL_MAX: wholeNumber(1, 100_000)
    .default(DEFAULT_STREAMS.principal_max)
    .describe('maximum of event streams of one principal; beyond it: 429'),
  COUNTERSIGN_STREAM_AGE_MAX_MS: wholeNumber(60_000, 86_400_000)
    .default(DEFAULT_STREAMS.age_max_ms)
    .describe('maximum age of an event stream; it is then closed, and its reader resumes with `Last-Event-ID`'),
});

/** Settings of the gateway; lanes and the data directory come from the platform settings. */
export interface GatewayConfig {
  host: string;
  /** 0: any free port. */
  port: number;
  /** Lets `callback_url` use loopback and private addresses. */
  callback_allow_private: boolean;
  /** Lets identity providers use loopback and private addresses, and plain http. */
  identity_allow_private?: boolean;
  /** Hosts of private networks that endpoints of tools may use, lower case; absent: none. */
  tool_endpoints_private?: readonly string[];
  /** Names of the commands that upstreams of tenants may use; absent: none. */
  upstream_commands?: readonly string[];
  /** Hosts of private networks that upstreams may use, lower case; absent: none. */
  upstream_private?: readonly string[];
  /** Proxies for callbacks, webhooks and requests to identity providers; absent: none. */
  proxies?: Proxies;
  /** `smtp://user:password@host:port`; absent: mail channels are refused. */
  smtp_url?: string | undefined;
  mail_from?: string;
  /** Public URL of this gateway; absent: its listen address, see `publicUrl`. */
  public_url?: string | undefined;
  /** Absent: the defaults. */
  http?: HttpLimits;
  /** Event streams; absent: the defaults of `DEFAULT_STREAMS`. */
  streams?: StreamSettings;
  /** The MCP server; absent: `defaultMcpSettings`. */
  mcp?: McpSettings;
  /** Browser sessions; absent: `defaultSessionSettings`. */
  sessions?: SessionSettings;
  lanes: readonly string[];
  data_dir: string;
  /** Fails a request whose response its route does not declare. For tests. */
  strict_answers?: boolean;
}

const EVERYWHERE = new Set(['0.0.0.0', '::']);

/** Base URL of links in messages, without a trailing slash. A gateway that listens on every address uses 127.0.0.1. */
export function publicUrl({ host, port, public_url }: GatewayConfig): string {
  if (public_url !== undefined) return public_url.replace(/\/+$/, '');
  const reached = EVERYWHERE.has(host) ? '127.0.0.1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

export function parseGatewayConfig(
  env: Environment,
  platform: { lanes: readonly string[]; data_dir: string },
): ParsedConfig<GatewayConfig> {
  const parsed = readSettings(gatewayVariables, env);
  const proxies = proxySettings(env);
  if ('faults' in parsed) return { faults: [...parsed.faults, ...('fault' in proxies ? [proxies.fault] : [])] };
  if ('fault' in proxies) return { faults: [proxies.fault] };
  const { COUNTERSIGN_HOST: host, COUNTERSIGN_PORT: port } = parsed.config;
  const callback_allow_private = parsed.config.COUNTERSIGN_CALLBACK_ALLOW_PRIVATE;
  const identity_allow_private = parsed.config.COUNTERSIGN_IDENTITY_ALLOW_PRIVATE;
  const tool_endpoints_private = parsed.config.COUNTERSIGN_TOOL_ENDPOINTS_PRIVATE.map((host) => host.toLowerCase());
  const { COUNTERSIGN_SMTP_URL: smtp_url, COUNTERSIGN_MAIL_FROM: mail_from, COUNTERSIGN_PUBLIC_URL: public_url } = parsed.config;
  const streams = {
    gateway_max: parsed.config.COUNTERSIGN_STREAMS_MAX,
    tenant_max: parsed.config.COUNTERSIGN_STREAMS_PER_TENANT_MAX,
    principal_max: parsed.config.COUNTERSIGN_STREAMS_PER_PRINCIPAL_MAX,
    age_max_ms: parsed.config.COUNTERSIGN_STREAM_AGE_MAX_MS,
  };
  const { lanes, data_dir } = platform;
  const http = httpLimits(parsed.config);
  const mcp = mcpSettingsOf(parsed.config, public_url);
  const sending = { callback_allow_private, proxies: proxies.proxies, smtp_url, mail_from, public_url };
  const sessions = sessionSettingsOf(parsed.config);
  const strict_answers = parsed.config.COUNTERSIGN_TEST_STRICT_ANSWERS;
  return {
    config: {
      ...{ host, port, identity_allow_private, tool_endpoints_private, ...sending, http, mcp, sessions, streams, lanes, data_dir },
      strict_answers,
      upstream_commands: parsed.config.COUNTERSIGN_UPSTREAM_COMMANDS,
      upstream_private: parsed.config.COUNTERSIGN_UPSTREAM_PRIVATE.map((host) => host.toLowerCase()),
    },
  };
}
