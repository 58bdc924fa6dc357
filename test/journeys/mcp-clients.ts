import path from 'node:path';
import { Client, type ClientOptions, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18'] as const;
export type Revision = (typeof REVISIONS)[number];
export const WAYS = ['http', 'stdio'] as const;
export type Way = (typeof WAYS)[number];

export interface McpAccess {
  way: Way;
  revision: Revision;
  url: string;
  key: string;
  run_id?: string;
  /** Only over HTTP: which tools are listed. */
  tools?: 'search' | 'all';
}

const optionsOf = (revision: Revision): ClientOptions =>
  revision === '2026-07-28' ? { versionNegotiation: { mode: { pin: revision } } } : { supportedProtocolVersions: [revision] };

/** The `countersign mcp` command of this tree, as a client starts it. */
function stdioTransport({ url, key, run_id }: McpAccess): Transport {
  const args = [path.join(process.cwd(), 'apps/cli/bin/countersign.js'), 'mcp'];
  const env = { COUNTERSIGN_URL: url, COUNTERSIGN_KEY: key, ...(run_id === undefined ? {} : { COUNTERSIGN_RUN: run_id }) };
  return new StdioClientTransport({ command: process.execPath, args, env, stderr: 'inherit' });
}

function httpTransport({ url, key, run_id, tools }: McpAccess): Transport {
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  if (run_id !== undefined) headers['Countersign-Run'] = run_id;
  if (tools !== undefined) headers['Countersign-Tools'] = tools;
  return new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
}

/** A client of the SDK that is connected to a gateway. */
export async function mcpClient(access: McpAccess): Promise<Client> {
  const client = new Client({ name: 'journeys', version: '1.0.0' }, optionsOf(access.revision));
  await client.connect(access.way === 'stdio' ? stdioTransport(access) : httpTransport(access));
  return client;
}

interface Result {
  content: readonly { type: string; text?: string }[];
  _meta?: Record<string, unknown> | undefined;
}

/** The text of a result, as a model reads it. */
export const textOf = ({ content }: Result): string => content.map(({ type, text }) => text ?? `[${type}]`).join('\n');

/** The members of the envelope that a result carries. */
// biome-ignore lint/suspicious/noExplicitAny: envelopes of any shape
export const callOf = ({ _meta }: Result): any => _meta?.['dev.countersign/call'];
