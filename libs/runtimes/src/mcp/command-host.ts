import { tmpdir } from 'node:os';
import type { OutboundDoor } from '@countersign/outbound';
import type { TreeLimits } from '../sandbox/cgroup.js';
import { Egress } from '../sandbox/egress.js';
import { withEgress } from '../sandbox/egress-argv.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { isOverfull, STATE_INSIDE, type StateFolder, stateFolderOf } from '../sandbox/state-folder.js';
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
  async transport(name: string, target: UpstreamTarget, line_bytes_max: number): Promise<ProcessTransport> {
    const command = this.commands.get(name);
    if (this.fault !== undefined) throw new UpstreamUnusable(this.fault);
    if (!command) throw new UpstreamUnusable(`the installation has no command ${name}`);
    const secrets = secretsFor(command, target.credentials.env ?? {});
    const state = await stateFor(command, target);
    const terms = { limits: this.limits, line_bytes_max, has_secrets: Object.keys(secrets).length > 0, state };
    const env = { ...this.environment(state), ...secrets };
    const sandbox = { read: command.read, ...(state ? { state: state.folder } : {}) };
    if (command.hosts.length === 0 || this.sandbox.mode === 'none')
      return new ProcessTransport({ ...terms, argv: this.sandbox.wrapped(command.argv, sandbox), env }, () => undefined);
    const egress = await Egress.start(command.hosts, this.door);
    const { argv, read, env: proxies, socket } = withEgress(command.argv, egress.socket);
    const wrapped = this.sandbox.wrapped(argv, { ...sandbox, read: [...command.read, ...read], socket });
    return new ProcessTransport({ ...terms, argv: wrapped, env: { ...env, ...proxies } }, () => void egress.close());
  }

  private environment(state: StateFolder | undefined): Record<string, string> {
    const is_bare = this.sandbox.mode === 'none';
    const base = { PATH: COMMAND_FOLDERS.join(':'), HOME: is_bare ? tmpdir() : '/tmp', LANG: 'C.UTF-8' };
    return state ? { ...base, STATE_DIRECTORY: is_bare ? state.folder : STATE_INSIDE } : base;
  }
}

/** The folder of this tenant for a command that keeps files. @throws UpstreamUnusable if it is full */
async function stateFor({ name, state }: UpstreamCommand, target: UpstreamTarget): Promise<StateFolder | undefined> {
  if (!state) return undefined;
  const { tenant_id, upstream, credentials } = target;
  const folder = await stateFolderOf(state.folder, { tenant_id, upstream, user_id: credentials.user_id });
  const found = { folder, bytes_max: state.mb_max * 1024 * 1024 };
  if (await isOverfull(found))
    throw new UpstreamUnusable(`the files of the command ${name} take more than ${state.mb_max} MB: the installation must remove some`);
  return found;
}

/** @throws UpstreamUnusable if a variable is not one that the installation lets tenants set */
function secretsFor({ name, env }: UpstreamCommand, given: Readonly<Record<string, string>>): Record<string, string> {
  const unlisted = Object.keys(given).find((variable) => !env.includes(variable));
  if (unlisted !== undefined) throw new UpstreamUnusable(`the command ${name} takes no variable ${unlisted}`);
  const broken = Object.keys(given).find((variable) => given[variable]?.includes('\0'));
  if (broken !== undefined) throw new UpstreamUnusable(`the value of ${broken} contains a NUL character`);
  return { ...given };
}
