// The client of the conformance suite: our sessions with upstreams, as executors use them. `node upstream-client.js URL`.
import { AddressRules, OutboundDoor } from '@countersign/outbound';
import { CommandHost, type ListedTool, McpSessions, Sandbox, type UpstreamTarget } from '@countersign/runtimes';

const url = new URL(process.argv.at(-1) ?? '');
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT || '{}') as {
  toolCalls?: { name: string; arguments: Record<string, unknown> }[];
};
const IDLE_MS = 60_000;

const door = new OutboundDoor(AddressRules.forToolEndpoints(new Set([url.hostname])));
const commands = new CommandHost([], await Sandbox.probe('none'), { memory_mb: 512, pids_max: 128 }, door);
const processes = { per_tenant_max: 1, all_max: 1, idle_ms: IDLE_MS };
const sessions = new McpSessions({ door, events: { listChanged: () => undefined }, commands, processes, idle_ms: IDLE_MS });
const target: UpstreamTarget = {
  ...{ tenant_id: 'acme', upstream: 'suite', revision: 1, place: { kind: 'http', url: url.href }, credentials: { user_id: null } },
  timeout_ms: 15_000,
  max_output_bytes: 1_000_000,
};

const run = () => ({
  call_id: '0-1',
  signal: AbortSignal.timeout(20_000),
  deadline_ms: Date.now() + 20_000,
  progress: () => undefined,
  attach: async () => Promise.reject(new Error('the suite sends no attachments')),
});

async function call(tool: ListedTool, inputs: object): Promise<void> {
  await sessions
    .call(target, tool, inputs, run())
    .catch((cause: Error) => process.stderr.write(`${scenario} ${tool.name}: ${cause.message}\n`));
}

const listing = await sessions.list(target, AbortSignal.timeout(20_000));
if (listing.kind === 'failed') process.stderr.write(`${scenario}: ${listing.fault}: ${listing.reason}\n`);
else {
  for (const { name, reason } of listing.refused) process.stderr.write(`${scenario} ${name} is refused: ${reason}\n`);
  const own: Readonly<Record<string, object>> = {
    add_numbers: { a: 5, b: 3 },
    json_schema_echo: { schema: listing.tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.input_schema },
  };
  for (const tool of listing.tools) {
    const wanted = context.toolCalls?.filter(({ name }) => name === tool.name).map((one) => one.arguments);
    const calls = wanted ?? [own[tool.name] ?? {}];
    for (const inputs of calls) await call(tool, inputs);
  }
}
await sessions.close();
