import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { textOf } from '@countersign/gateway/testing/mcp-client';
import { Client, type ClientOptions, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EmbeddedPlatform } from './embedded-platform.js';

const page = readFileSync('docs/how-to/connect-mcp-clients.md', 'utf8');
const ADDRESS = 'http://127.0.0.1:7070';
/** The ways in which clients name a variable, and the place of a literal key. */
const KEY = /\$\{(env:|input:)?[\w-]+\}|csk_\.\.\./g;

interface ServerEntry {
  type?: string;
  url?: string;
  headers?: Record<string, string>;
  command?: string;
  args?: string[];
  env?: Record<string, string>;
}

function block(marker: string): string {
  const found = new RegExp(`<!-- ${marker}: [^>]*-->\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1];
  if (found === undefined) throw new Error(`the page has no block ${marker}`);
  return found.replaceAll(ADDRESS, platform.base);
}

/** The server of a pasted configuration, with the key where the client would put it. */
function entry(marker: string, key: string): ServerEntry {
  const pasted = JSON.parse(block(marker).replaceAll(KEY, key)) as Record<string, Record<string, ServerEntry>>;
  return (pasted.mcpServers ?? pasted.servers)?.countersign as ServerEntry;
}

function transportOf({ url, headers = {}, command, args = [], env = {} }: ServerEntry): Transport {
  if (command !== undefined)
    return new StdioClientTransport({ command, args, env: { ...env, PATH: process.env.PATH ?? '' }, stderr: 'ignore' });
  return new StreamableHTTPClientTransport(new URL(url as string), { requestInit: { headers } });
}

async function connected(marker: string, key: string, options: ClientOptions): Promise<Client> {
  const client = new Client({ name: 'pasted', version: '1.0.0' }, options);
  await client.connect(transportOf(entry(marker, key)));
  return client;
}

const inShell = promisify(execFile);

/** Runs a block of the page where `.countersign` is. @returns the minted key */
async function minted(marker: string): Promise<string> {
  const { stdout } = await inShell('bash', ['-c', `set -euo pipefail\n${block(marker)}`], { cwd: platform.dir });
  return (JSON.parse(stdout) as { key: string }).key;
}

let platform: EmbeddedPlatform;
let agent: string;
beforeAll(async () => {
  platform = await EmbeddedPlatform.start({ COUNTERSIGN_PACKS: 'workspace', COUNTERSIGN_MCP_WAIT_MS: '3000' });
  symlinkSync(platform.dataDir, path.join(platform.dir, '.countersign'));
  agent = await minted('mcp-agent-key');
});
afterAll(() => platform.close());

const REVISIONS: [string, ClientOptions][] = [
  ['2025-11-25', { supportedProtocolVersions: ['2025-11-25'] }],
  ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
];

describe.each(['mcp-claude-code', 'mcp-cursor', 'mcp-vs-code', 'mcp-inspector', 'mcp-stdio'])('the pasted configuration %s', (marker) => {
  test.each(REVISIONS)('lists tools and writes a file with %s', async (revision, options) => {
    const client = await connected(marker, agent, options);
    try {
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['write_file', 'get_call']));
      const file = `${marker}-${revision}.txt`;
      const result = await client.callTool({ name: 'write_file', arguments: { path: file, content: 'pasted' } });
      expect(result).toMatchObject({ isError: false });
      expect(readFileSync(path.join(platform.workspace, file), 'utf8')).toBe('pasted');
    } finally {
      await client.close();
    }
  });

  test('is refused with an unknown key', async () => {
    await expect(connected(marker, 'csk_wrong', {})).rejects.toThrow();
  });
});

test('the approver of the page decides what the agent asked for, and the agent cannot', async () => {
  const asks = await connected('mcp-claude-code', agent, {});
  const decides = await connected('mcp-claude-code', await minted('mcp-approver-key'), {});
  try {
    await asks.callTool({ name: 'write_file', arguments: { path: 'old.txt', content: 'old' } });
    const pending = await asks.callTool({ name: 'delete_file', arguments: { path: 'old.txt' } });
    expect(textOf(pending)).toContain('waits for an approval');
    const { items } = (await decides.callTool({ name: 'list_approvals', arguments: {} })).structuredContent as {
      items: { approval_id: string; call_id: string }[];
    };
    const [{ approval_id, call_id }] = items as [(typeof items)[number]];
    const vote = { name: 'decide_approval', arguments: { approval_id, vote: 'approve', reason: 'it is old' } };
    expect(await asks.callTool(vote)).toMatchObject({ isError: true });
    expect(await decides.callTool(vote)).toMatchObject({ isError: false });
    await expect
      .poll(async () => textOf(await asks.callTool({ name: 'get_call', arguments: { call_id } })), { timeout: 10_000 })
      .toContain('old.txt');
  } finally {
    await asks.close();
    await decides.close();
  }
});
