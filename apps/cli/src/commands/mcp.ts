import { parseArgs } from 'node:util';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Command, Outcome } from '../command.js';
import { StdioBridge } from '../mcp/stdio-bridge.js';

const options = {
  url: { type: 'string' },
  key: { type: 'string' },
  case: { type: 'string' },
  run: { type: 'string' },
  tools: { type: 'string' },
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

const wrong = (line: string): Outcome => ({ code: 2, lines: [line, `usage: countersign mcp ${mcp.usage}`] });

function headersOf(values: { case?: string; run?: string; tools?: string }, env: Environment): Record<string, string> {
  const given = {
    'countersign-case': values.case ?? env.COUNTERSIGN_CASE,
    'countersign-run': values.run ?? env.COUNTERSIGN_RUN,
    'countersign-tools': values.tools ?? env.COUNTERSIGN_TOOLS,
  };
  return Object.fromEntries(Object.entries(given).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

/**
 * `countersign mcp`: the MCP server of a running gateway over stdio. Its output is the protocol, so everything else goes to stderr. It takes
 * no key from the data directory: the admin's is too much for an agent.
 */
export const mcp: Command = {
  name: 'mcp',
  usage: '[--url http://127.0.0.1:7070] [--key <key of an agent>] [--case <case_id>] [--run <run_id>] [--tools all|search]',
  about:
    'serves MCP over stdio for a client that cannot use HTTP; COUNTERSIGN_URL, COUNTERSIGN_KEY, COUNTERSIGN_CASE, COUNTERSIGN_RUN and COUNTERSIGN_TOOLS stand for the options',
  async run(args, env) {
    try {
      const { values } = parseArgs({ args: [...args], options });
      const url = values.url ?? (env.COUNTERSIGN_URL || `http://127.0.0.1:${env.COUNTERSIGN_PORT || 7070}`);
      const key = values.key ?? (env.COUNTERSIGN_KEY || undefined);
      if (!URL.canParse(url)) return wrong(`${url} is not a URL`);
      if (key === undefined) return wrong('no key: set COUNTERSIGN_KEY to the key of an agent');
      const report = (line: string) => void process.stderr.write(`${line}\n`);
      await new StdioBridge(new StdioServerTransport(), { url, key, headers: headersOf(values, env) }, report).run();
      return { code: 0, lines: [] };
    } catch (cause) {
      if (cause instanceof TypeError && 'code' in cause) return wrong(cause.message);
      throw cause;
    }
  },
};
