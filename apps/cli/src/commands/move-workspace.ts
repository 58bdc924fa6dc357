import { realpath } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { LayoutDamaged } from '@countersign/tool-kit/tenant-folders/layout';
import type { Command, Outcome } from '../command.js';
import { type Moved, moveFiles, shareFiles } from '../workspace/move-files.js';
import { withMoveLock } from '../workspace/move-lock.js';

/** Longer than the timeout of any built-in tool: a call that began before the layout changed has ended by then. */
const DRAIN_MS = 150_000;

const options = {
  tenant: { type: 'string' },
  root: { type: 'string' },
  reassign: { type: 'boolean', default: false },
  share: { type: 'boolean', default: false },
  now: { type: 'boolean', default: false },
} as const;

const wrong = (line: string): Outcome => ({
  code: 2,
  lines: [line, `usage: npm run countersign -- move-workspace ${moveWorkspace.usage}`],
});

async function drained(): Promise<void> {
  process.stderr.write(`waiting ${DRAIN_MS / 1000} s for running calls (use --now if no executor runs)\n`);
  await sleep(DRAIN_MS);
}

function outcomeOf(moved: Moved, share: boolean): Outcome {
  if ('fault' in moved) return { code: 1, lines: [moved.fault] };
  if (share)
    return { code: 0, lines: [`${moved.folder} is shared by all tenants: start the executors with COUNTERSIGN_WORKSPACE_SHARED=true`] };
  return { code: 0, lines: [`moved the files to ${moved.folder}; from now on each tenant has its own folder`] };
}

/**
 * `countersign move-workspace`: moves the files in the root of a workspace to one tenant's folder, so that other tenants can have their
 * own.
 */
export const moveWorkspace: Command = {
  name: 'move-workspace',
  usage: '[--tenant <id>] [--root <COUNTERSIGN_WORKSPACE_ROOT>] [--reassign] [--now] | --share [--root <…>]',
  about:
    'moves the files of a workspace into the folder of one tenant, so that each tenant has its own; if it was interrupted, run it again',
  async run(args, env) {
    try {
      const { values } = parseArgs({ args: [...args], options });
      const { tenant, share, reassign, now } = values;
      if (share && (tenant !== undefined || reassign)) return wrong('--share moves no files: omit --tenant and --reassign');
      if (tenant === '') return wrong('--tenant is empty');
      const wanted_root = values.root ?? (env.COUNTERSIGN_WORKSPACE_ROOT || './workspace');
      const root = await realpath(wanted_root).catch(() => undefined);
      if (root === undefined)
        return {
          code: 1,
          lines: [`${wanted_root} does not exist: set --root or COUNTERSIGN_WORKSPACE_ROOT to the value that the executors use`],
        };
      const move = { root, tenant_id: tenant, reassign, drained: now ? async () => undefined : drained };
      const outcome = await withMoveLock(root, () => (share ? shareFiles(root) : moveFiles(move)));
      if ('done' in outcome) return outcomeOf(outcome.done, share);
      return {
        code: 1,
        lines: [`another move-workspace runs in ${root} (${outcome.held_by}): wait for it, or delete its lock file if it has stopped`],
      };
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code?.startsWith('ERR_PARSE_ARGS')) return wrong(message);
      if (cause instanceof LayoutDamaged || code !== undefined) return { code: 1, lines: [message] };
      throw cause;
    }
  },
};
