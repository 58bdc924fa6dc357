import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { type Environment, list, wholeNumber } from '@countersign/process';
import { COMMAND_FOLDERS, type SandboxMode, type UpstreamCommand, upstreamCommandsOf } from '@countersign/runtimes';
import { z } from 'zod';

/** Programs and folders of a command that do not exist, one line each. */
function missingParts({ name, argv: [program = ''], read, state }: UpstreamCommand): string[] {
  const found = isAbsolute(program) ? existsSync(program) : COMMAND_FOLDERS.some((folder) => existsSync(join(folder, program)));
  const folders = [...read, ...(state ? [state.folder] : [])]
    .filter((folder) => !existsSync(folder))
    .map((folder) => `${name}: ${folder} does not exist`);
  return found ? folders : [`${name}: the program ${program} does not exist in ${COMMAND_FOLDERS.join(', ')}`, ...folders];
}

const commands = z
  .string()
  .default('[]')
  .meta({ variable_type: 'JSON' })
  .transform((text, context): readonly UpstreamCommand[] => {
    const read = upstreamCommandsOf(text);
    const faults = 'faults' in read ? read.faults : read.commands.flatMap(missingParts);
    for (const message of faults) context.addIssue({ code: 'custom', message, input: text });
    return 'faults' in read ? [] : read.commands;
  });

/** The variables of sessions with upstream MCP servers. */
export const upstreamVariables = {
  COUNTERSIGN_UPSTREAM_COMMANDS: commands.describe(
    'programs of this installation that speak MCP over stdio: a list of `{name, argv, env, hosts, read, state}`; tenants choose one by its name, fill the variables of `env` with their secrets, and reach `hosts` alone ([upstreams](../how-to/upstream-commands.md))',
  ),
  COUNTERSIGN_UPSTREAM_SANDBOX: z
    .enum(['bubblewrap', 'none'])
    .default('bubblewrap')
    .describe('sandbox of these programs; `none` runs them as the user of the executor, with its files and network, and readiness says so'),
  COUNTERSIGN_UPSTREAM_PRIVATE: list('').describe(
    'hosts of private networks (`host` or `host:port`) that upstreams and the `hosts` of commands may use; upstreams there may use plain http',
  ),
  COUNTERSIGN_UPSTREAM_MEMORY_MB: wholeNumber(64, 65_536).default(512).describe('memory limit of one command with all that it starts'),
  COUNTERSIGN_UPSTREAM_PIDS_MAX: wholeNumber(8, 32_768).default(128).describe('maximum number of processes and threads of one command'),
  COUNTERSIGN_UPSTREAM_PROCESSES_MAX: wholeNumber(1, 10_000).default(32).describe('maximum number of commands that run at once'),
  COUNTERSIGN_UPSTREAM_PROCESSES_PER_TENANT: wholeNumber(1, 10_000).default(8).describe('the same for one tenant'),
  COUNTERSIGN_UPSTREAM_IDLE_MS: wholeNumber(1_000, 86_400_000).default(600_000).describe('an idle session or command ends after this time'),
};

/** Settings of sessions with upstream MCP servers. */
export interface UpstreamSettings {
  commands: readonly UpstreamCommand[];
  sandbox: SandboxMode;
  /** Hosts of private networks, lower case. */
  private_hosts: readonly string[];
  memory_mb: number;
  pids_max: number;
  processes_max: number;
  processes_per_tenant: number;
  idle_ms: number;
}

/** @param value of `upstreamVariables` */
export function upstreamSettings(value: z.output<z.ZodObject<typeof upstreamVariables>>): UpstreamSettings {
  return {
    commands: value.COUNTERSIGN_UPSTREAM_COMMANDS,
    sandbox: value.COUNTERSIGN_UPSTREAM_SANDBOX,
    private_hosts: value.COUNTERSIGN_UPSTREAM_PRIVATE.map((host) => host.toLowerCase()),
    memory_mb: value.COUNTERSIGN_UPSTREAM_MEMORY_MB,
    pids_max: value.COUNTERSIGN_UPSTREAM_PIDS_MAX,
    processes_max: value.COUNTERSIGN_UPSTREAM_PROCESSES_MAX,
    processes_per_tenant: value.COUNTERSIGN_UPSTREAM_PROCESSES_PER_TENANT,
    idle_ms: value.COUNTERSIGN_UPSTREAM_IDLE_MS,
  };
}

/** Without settings: no commands. For specs that start an executor. */
export const noUpstreams = (): UpstreamSettings => upstreamSettings(z.object(upstreamVariables).parse({} satisfies Environment));
