import type { Command } from './command.js';
import { acceptDamage } from './commands/accept-damage.js';
import { demo } from './commands/demo.js';
import { gaps } from './commands/gaps.js';
import { mcp } from './commands/mcp.js';
import { monitor } from './commands/monitor.js';
import { moveWorkspace } from './commands/move-workspace.js';
import { newCommand } from './commands/new.js';
import { projections } from './commands/projections.js';
import { reliability } from './commands/reliability.js';
import { replay } from './commands/replay.js';
import { scrub } from './commands/scrub.js';
import { signInLink } from './commands/sign-in-link.js';
import { verify } from './commands/verify.js';
import { witness } from './commands/witness.js';

/** All commands. A new one is one file in `commands/` and an entry here. */
const commands: readonly Command[] = [
  acceptDamage,
  demo,
  gaps,
  mcp,
  monitor,
  moveWorkspace,
  newCommand,
  projections,
  reliability,
  replay,
  scrub,
  signInLink,
  verify,
  witness,
];

function help(): string[] {
  return ['npm run countersign -- <command>', '', ...commands.map(({ name, usage, about }) => `  ${name} ${usage}\n      ${about}`)];
}

/** Runs the command of the arguments, prints its output and returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  const command = commands.find((each) => each.name === name);
  if (!command) {
    const wants_help = name === undefined || name === 'help' || name === '--help';
    process[wants_help ? 'stdout' : 'stderr'].write(`${wants_help ? '' : `unknown command ${name}\n`}${help().join('\n')}\n`);
    return wants_help ? 0 : 2;
  }
  const { code, lines } = await command.run(rest, process.env);
  if (lines.length > 0) process[code === 0 ? 'stdout' : 'stderr'].write(`${lines.join('\n')}\n`);
  return code;
}
