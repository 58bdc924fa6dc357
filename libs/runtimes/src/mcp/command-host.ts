import { tmpdir } from 'node:os';
import type { OutboundDoor } from '@countersign/outbound';
import type { TreeLimits } from '../sandbox/cgroup.js';
import { Egress } from '../sandbox/egress.js';
import { withEgress } from '../sandbox/egress-argv.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { UpstreamCommand } from '../sandbox/upstream-commands.js';
import { UpstreamUnusable } from './not-started.js';
import { ProcessTransport } from './process-transport.js';
import type { UpstreamTarget } from './upstream.js';

/** Where programs of commands are looked for. */
export const COMMAND_FOLDERS: readonly string[] = ['/usr/local/bin', '/usr/bin', '/bin'];

/** Starts the commands of the installation, one process for each session. */
export class CommandHost {
  private readonly commands: ReadonlyMap<string, UpstreamCommand>;

  constructor(
    commands: readonly UpstreamCommand[],
    private readonly sandbox: Sandbox,
    private readonly limits: TreeLimits,
    private readonly door: Pick<OutboundDoor, 'connect'>,
  ) {
    this.commands = new Map(commands.map((command) => [command.name, command]));
  }

  /** Why no command can be run here. */
  get fault(): string | undefined {
    if (this.commands.size === 0) return 'the installation lists no commands (COUNTERSIGN_UPSTREAM_COMMANDS)';
    return this.sandbox.fault;
  }

  /** A process that has not started. @throws UpstreamUnusable */
  async transport(name: string, { credentials }: UpstreamTarget, line_bytes_max: number): Promise<ProcessTransport> {
    const command = this.commands.get(name);
    if (this.fault !== undefined) throw new UpstreamUnusable(this.fault);
    if (!command) throw new UpstreamUnusable(`the installation has no command ${name}`);
    const secrets = secretsFor(command, credentials.env ?? {});
    const has_secrets = Object.keys(secrets).length > 0;
    const base = { PATH: COMMAND_FOLDERS.join(':'), HOME: this.sandbox.mode === 'none' ? tmpdir() : '/tmp', LANG: 'C.UTF-8' };
    const limits = this.limits;
    if (command.hosts.length === 0 || this.sandbox.mode === 'none') {
      const argv = this.sandbox.wrapped(command.argv, { read: command.read });
      return new ProcessTransport({ argv, env: { ...base, ...secrets }, limits, line_bytes_max, has_secrets }, () => undefined);
    }
    const egress = await Egress.start(command.hosts, this.door);
    const { argv, read, env, socket } = withEgress(command.argv, egress.socket);
    const wrapped = this.sandbox.wrapped(argv, { read: [...command.read, ...read], socket });
    const terms = { argv: wrapped, env: { ...base, ...env, ...secrets }, limits, line_bytes_max, has_secrets };
    return new ProcessTransport(terms, () => void egress.close());
  }
}

/** @throws UpstreamUnusable if a variable is not one that the installation lets tenants set */
function secretsFor({ name, env }: UpstreamCommand, given: Readonly<Record<string, string>>): Record<string, string> {
  const unlisted = Object.keys(given).find((variable) => !env.includes(variable));
  if (unlisted !== undefined) throw new UpstreamUnusable(`the command ${name} takes no variable ${unlisted}`);
  const broken = Object.keys(given).find((variable) => given[variable]?.includes('\0'));
  if (broken !== undefined) throw new UpstreamUnusable(`the value of ${broken} contains a NUL character`);
  return { ...given };
}
