import { fileURLToPath } from 'node:url';
import { AddressRules, OutboundDoor } from '@countersign/outbound';
import { CommandHost } from '../mcp/command-host.js';
import { McpSessions } from '../mcp/mcp-sessions.js';
import type { UpstreamPlace, UpstreamRun, UpstreamTarget } from '../mcp/upstream.js';
import { Sandbox, type SandboxMode } from '../sandbox/sandbox.js';
import { type UpstreamCommand, upstreamCommandsOf } from '../sandbox/upstream-commands.js';

/** The program of the hostile upstream. */
export const HOSTILE = fileURLToPath(new URL('./hostile-upstream.js', import.meta.url));

export interface RigOptions {
  readonly commands?: readonly object[];
  readonly private_hosts?: readonly string[];
  readonly sandbox?: SandboxMode;
  readonly memory_mb?: number;
  readonly pids_max?: number;
  readonly idle_ms?: number;
  readonly per_tenant_max?: number;
}

/** Sessions as an executor has them, and what its servers reported. */
export async function upstreamRig(options: RigOptions = {}) {
  const { private_hosts = [], sandbox = 'none', memory_mb = 512, pids_max = 128, idle_ms = 600_000, per_tenant_max = 8 } = options;
  const door = new OutboundDoor(AddressRules.forToolEndpoints(new Set(private_hosts)));
  const read = upstreamCommandsOf(JSON.stringify(options.commands ?? []));
  if ('faults' in read) throw new Error(read.faults.join('; '));
  const changed: string[] = [];
  const host = new CommandHost(read.commands as UpstreamCommand[], await Sandbox.probe(sandbox), { memory_mb, pids_max }, door);
  const events = { listChanged: (tenant_id: string, upstream: string) => void changed.push(`${tenant_id} ${upstream}`) };
  const processes = { per_tenant_max, all_max: 16, idle_ms };
  return { sessions: new McpSessions({ door, events, commands: host, processes, idle_ms }), changed };
}

/** A command of the hostile upstream in this mode. */
export const hostileCommand = (mode: string, more: object = {}): object => ({
  name: 'hostile',
  argv: [process.execPath, HOSTILE, mode],
  ...more,
});

/** An upstream of a tenant. */
export function targetAt(place: UpstreamPlace, more: Partial<UpstreamTarget> = {}): UpstreamTarget {
  const terms = { timeout_ms: 20_000, max_output_bytes: 1_000_000 };
  return { tenant_id: 'acme', upstream: 'files', revision: 1, place, credentials: { user_id: null }, ...terms, ...more };
}

export const COMMAND: UpstreamPlace = { kind: 'command', command: 'hostile' };

/** The context of a call. */
export const runOf = (more: Partial<UpstreamRun> = {}): UpstreamRun => ({
  call_id: '0-1',
  signal: new AbortController().signal,
  deadline_ms: Date.now() + 60_000,
  progress: () => undefined,
  attach: async ({ kind, content_type, data }) => ({ kind, content_type, bytes: data.length, url: '/v1/blobs/x' }),
  ...more,
});

export const tool = (name: string) => ({ name, input_schema: { type: 'object' } });
