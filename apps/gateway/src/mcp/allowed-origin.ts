import type { McpSettings } from './mcp-settings.js';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether a request with this Origin is served. Only browsers send one. The Host header is no measure: after DNS rebinding it names the
 * attacker as well. Pages on the loopback (the Inspector) are allowed unless the gateway has a public URL.
 */
export function isAllowedOrigin(origin: string | undefined, { origins, public_url }: Pick<McpSettings, 'origins' | 'public_url'>): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  if (origins.includes(url.origin)) return true;
  return public_url === undefined ? LOOPBACK.has(url.hostname) : url.origin === new URL(public_url).origin;
}
