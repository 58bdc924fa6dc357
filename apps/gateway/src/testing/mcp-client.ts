import { type CallToolResult, Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18'] as const;
export type Revision = (typeof REVISIONS)[number];

const INFO = { name: 'spec', version: '1.0.0' };

const optionsOf = (revision: Revision): ClientOptions =>
  revision === '2026-07-28' ? { versionNegotiation: { mode: { pin: revision } } } : { supportedProtocolVersions: [revision] };

export interface McpAccess {
  url: string;
  key: string;
  revision: Revision;
  headers?: Record<string, string>;
}

/** A client of the SDK that is connected to a gateway. */
export async function mcpClient({ url, key, revision, headers = {} }: McpAccess): Promise<Client> {
  const client = new Client(INFO, optionsOf(revision));
  const requestInit = { headers: { authorization: `Bearer ${key}`, ...headers } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  return client;
}

/** The text of a result, as a model reads it. */
export const textOf = ({ content }: Pick<CallToolResult, 'content'>): string =>
  content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');

/** The members of the envelope that a result carries. */
// biome-ignore lint/suspicious/noExplicitAny: envelopes of any shape
export const callOf = ({ _meta }: Pick<CallToolResult, '_meta'>): any => _meta?.['dev.countersign/call'];
