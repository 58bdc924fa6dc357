// An MCP server over stdio whose list of tools changes while it runs. Its notes are lines of a file in its state folder; it speaks both eras.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type CallToolResult, Server, type Tool } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const file = path.join(process.env.STATE_DIRECTORY ?? '', 'notes');
const words = path.join(process.env.STATE_DIRECTORY ?? '', 'words');
const text = { type: 'string' as const };
const tool = (name: string, ...inputs: string[]): Tool => ({
  name,
  description: `Does ${name} in the notes of this server.`,
  inputSchema: { type: 'object', properties: Object.fromEntries(inputs.map((input) => [input, text])), required: inputs },
});
const tools = [tool('add_note', 'note'), tool('remove_note', 'id'), tool('offer', 'tool'), tool('reword', 'tool'), tool('whoami', 'call')];

const notes = (): string[] => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []);
const answer = (structuredContent: Record<string, unknown> = {}): CallToolResult => ({ content: [], structuredContent });

const runs: Record<string, (inputs: Record<string, string>, server: Server) => CallToolResult | Promise<CallToolResult>> = {
  add_note: ({ note }) => {
    const id = `id-${notes().length}`;
    appendFileSync(file, `${id} ${note}\n`);
    return answer({ id });
  },
  remove_note: ({ id }) => {
    writeFileSync(
      file,
      notes()
        .map((line) => (line.startsWith(`${id} `) ? `${line} removed` : line))
        .join('\n')
        .concat('\n'),
    );
    return answer();
  },
  offer: async ({ tool: name = '' }, server) => {
    tools.push(tool(name, 'note'));
    await server.sendToolListChanged();
    return answer();
  },
  whoami: ({ call = '' }) => {
    const { API_TOKEN: token = '' } = process.env;
    return answer({ call, pid: process.pid, token, token_digest: createHash('sha256').update(token).digest('hex') });
  },
  // Kept, so that another process with the same folder says it too.
  reword: ({ tool: name = '' }) => {
    writeFileSync(words, name);
    return answer();
  },
};

function described(): Tool[] {
  const reworded = existsSync(words) ? readFileSync(words, 'utf8') : '';
  return tools.map((each) => (each.name === reworded ? { ...each, description: `Does ${each.name} in other words.` } : each));
}

serveStdio(() => {
  const server = new Server({ name: 'changing', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
  server.setRequestHandler('tools/list', () => ({ tools: described() }));
  server.setRequestHandler('tools/call', ({ params: { name, arguments: inputs = {} } }) =>
    (runs[name] ?? (() => answer()))(inputs as Record<string, string>, server),
  );
  return server;
});
