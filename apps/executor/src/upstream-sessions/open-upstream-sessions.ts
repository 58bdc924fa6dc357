import { AddressRules, OutboundDoor, type Proxies } from '@countersign/outbound';
import type { Logger } from '@countersign/process';
import { CommandHost, McpSessions, Sandbox, type UpstreamEvents, type UpstreamSessions } from '@countersign/runtimes';
import type { UnhealthyPack } from '@countersign/store';
import type { UpstreamSettings } from './upstream-settings.js';

const UNSANDBOXED = 'commands of upstreams run without a sandbox: COUNTERSIGN_UPSTREAM_SANDBOX is none';
/** The name under which readiness reports the commands. */
const NAME = 'upstream-commands';

/** Sessions with upstreams, and what readiness says about them. */
export interface OpenUpstreamSessions {
  readonly sessions: UpstreamSessions;
  readonly unhealthy: readonly UnhealthyPack[];
}

/** What sessions report to, and reach servers through. */
export interface UpstreamSurroundings {
  readonly logger: Pick<Logger, 'warn'>;
  readonly events: UpstreamEvents;
  readonly proxies: Proxies | undefined;
  /** Absent: bubblewrap as it is installed. */
  readonly sandbox_program?: string;
}

/** Probes the sandbox if there are commands. A sandbox that does not work stops no start: commands are refused, and readiness says why. */
export async function openUpstreamSessions(
  settings: UpstreamSettings,
  { logger, events, proxies, sandbox_program }: UpstreamSurroundings,
): Promise<OpenUpstreamSessions> {
  const { commands, memory_mb, pids_max, processes_max, processes_per_tenant, idle_ms } = settings;
  const door = new OutboundDoor(AddressRules.forToolEndpoints(new Set(settings.private_hosts)), proxies);
  const sandbox = await Sandbox.probe(commands.length === 0 ? 'none' : settings.sandbox, sandbox_program);
  const host = new CommandHost(commands, sandbox, { memory_mb, pids_max }, door);
  const processes = { per_tenant_max: processes_per_tenant, all_max: processes_max, idle_ms };
  const sessions = new McpSessions({ door, events, commands: host, processes, idle_ms });
  if (commands.length === 0) return { sessions, unhealthy: [] };
  const reason = sandbox.fault ?? (settings.sandbox === 'none' ? UNSANDBOXED : undefined);
  if (reason === undefined) return { sessions, unhealthy: [] };
  logger.warn({ event: 'upstream_sandbox_unavailable', reason }, 'commands of upstreams have no sandbox');
  return { sessions, unhealthy: [{ pack: NAME, reason }] };
}
