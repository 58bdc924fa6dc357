import type { Schemas } from '../gateway/schemas.js';
import type { Upstream } from './upstream.js';

export type UpstreamBody = Schemas['UpstreamRequest'];

/** What a person fills in for an upstream. */
export interface UpstreamFields {
  name: string;
  kind: 'url' | 'command';
  url: string;
  command: string;
  /** A line for each: `Secret` for an address, `Secret = VARIABLE` for a command. Names, never values. */
  credentials: string;
  timeout_s: string;
}

export const EMPTY_UPSTREAM: UpstreamFields = { name: '', kind: 'url', url: '', command: '', credentials: '', timeout_s: '30' };
export const UPSTREAM_FIELDS = ['/name', '/url', '/command', '/credentials', '/timeout_ms'];

export const upstreamFieldsOf = ({ name, url, command, credentials, timeout_ms }: Upstream): UpstreamFields => ({
  name,
  kind: url === null ? 'command' : 'url',
  url: url ?? '',
  command: command ?? '',
  credentials: credentials.map(({ secret, env }) => (env === null ? secret : `${secret} = ${env}`)).join('\n'),
  timeout_s: String(timeout_ms / 1000),
});

function credentialsOf(text: string): { secret: string; env: string | null }[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [secret = '', env] = line.split('=').map((part) => part.trim());
    return { secret, env: env ?? null };
  });
}

/** The body of `PUT /v1/upstreams/{name}`. */
export function upstreamRequest({ kind, url, command, credentials, timeout_s }: UpstreamFields): UpstreamBody {
  const place = kind === 'url' ? { url: url.trim() } : { command };
  return { ...place, credentials: credentialsOf(credentials), timeout_ms: Math.round(Number(timeout_s) * 1000) };
}

/** Whether the form names another server than the one that was classified: its tools lose their classes. */
export const isMoved = ({ kind, url, command }: UpstreamFields, before: Upstream): boolean =>
  kind === 'url' ? url.trim() !== before.url : command !== before.command;
