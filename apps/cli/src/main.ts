import type { Command } from './command.js';

/** All commands. A new one is one file in `commands/` and an entry here. Only the one that runs is loaded: it starts in a third of the time. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  'accept-damage': async () => (await import('./commands/accept-damage.js')).acceptDamage,
  demo: async () => (await import('./commands/demo.js')).demo,
  gaps: async () => (await import('./commands/gaps.js')).gaps,
  mcp: async () => (await import('./commands/mcp.js')).mcp,
  monitor: async () => (await import('./commands/monitor.js')).monitor,
  'move-workspace': async () => (await import('./commands/move-workspace.js')).moveWorkspace,
  new: async () => (await import('./commands/new.js')).newCommand,
  projections: async () => (await import('./commands/projections.js')).projections,
  reliability: async () => (await import('./commands/reliability.js')).reliability,
  replay: async () => (await import('./commands/replay.js')).replay,
  scrub: async () => (await import('./commands/scrub.js')).scrub,
  'sign-in-link': async () => (await import('./commands/sign-in-link.js')).signInLink,
  verify: async () => (await import('./commands/verify.js')).verify,
  witness: async () => (await import('./commands/witness.js')).witness,
};

async function help(): Promise<string[]> {
  const all = await Promise.all(Object.values(commands).map((load) => load()));
  return ['npm run countersign -- <command>', '', ...all.map(({ name, usage, about }) => `  ${name} ${usage}\n      ${about}`)];
}

/** Runs the command of the arguments, prints its output and returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  const load = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) {
    const wants_help = name === undefined || name === 'help' || name === '--help';
    const text = (await help()).join('\n');
    process[wants_help ? 'stdout' : 'stderr'].write(`${wants_help ? '' : `unknown command ${name}\n`}${text}\n`);
    return wants_help ? 0 : 2;
  }
  const { code, lines } = await (await load()).run(rest, process.env);
  if (lines.length > 0) process[code === 0 ? 'stdout' : 'stderr'].write(`${lines.join('\n')}\n`);
  return code;
}
