import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isToolError, type RunContext, shownText, ToolError } from '@countersign/tool-kit';
import { type ConfiguredPrograms, configuredPrograms } from './configured-programs.js';
import { type GitCall, type GitResult, runGit } from './git-command.js';
import { checkedPath, checkedRevision, isReserved } from './names.js';
import { conflict, notFound, refused } from './refusal.js';
import { checkSelfContained } from './self-contained.js';

export const ROOT_SETTING = 'COUNTERSIGN_WORKSPACE_ROOT';
export const SHARING_SETTING = 'COUNTERSIGN_WORKSPACE_SHARED';
const OID = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

type More = Pick<GitCall, 'input' | 'env' | 'stdout_bytes_max' | 'life_ms'>;

/** Runs a tool's work on a repository of the workspace. A failure promises no effect only if nothing was begun. */
export async function inRepository<T>(path: string, ctx: RunContext, work: (repository: Repository) => Promise<T>): Promise<T> {
  const repository = new Repository(...(await locate(path, ctx)), ctx);
  try {
    return await work(repository);
  } catch (error) {
    if (!isToolError(error)) throw error;
    const effect = repository.changing ? 'unknown' : 'none';
    throw new ToolError(error.code, error.message, { ...error.more, effect });
  }
}

/** A repository inside the workspace, and the git commands in it. */
export class Repository {
  /** True from before the first changing command until it is known to have failed without effect. */
  changing = false;
  private configured: Promise<ConfiguredPrograms> | undefined;

  /** @param tenant_root the folder of the tenant, which contains the repository's folder */
  constructor(
    readonly folder: string,
    readonly tenant_root: string,
    readonly ctx: RunContext,
  ) {}

  /** Runs git and returns any exit. No program in the configuration of the repository is started. */
  async try(args: readonly string[], more: More = {}): Promise<GitResult> {
    return this.start([...(await this.programs()).args, ...args], more);
  }

  /** The programs that the configuration of the repository would run, read once for each call. */
  programs(): Promise<ConfiguredPrograms> {
    this.configured ??= this.readPrograms();
    return this.configured;
  }

  private async readPrograms(): Promise<ConfiguredPrograms> {
    const args = ['config', '--list', '--name-only', '-z'];
    const result = await this.start(args, {});
    if (result.code !== 0) throw failed(args, result);
    return configuredPrograms(result.stdout.toString('utf8').split('\0').filter(Boolean));
  }

  private start(args: readonly string[], more: More): Promise<GitResult> {
    const place = [`--git-dir=${join(this.folder, '.git')}`, `--work-tree=${this.folder}`];
    return runGit({ cwd: this.folder, signal: this.ctx.signal, ...more, args: [...place, ...args] });
  }

  /** Runs git, which must succeed, and returns its output; invalid UTF-8 as `\xNN`. */
  async run(args: readonly string[], more: More = {}): Promise<string> {
    return shownText(await this.bytes(args, more));
  }

  /** As `run`, for output that is passed back to git. */
  async bytes(args: readonly string[], more: More = {}): Promise<Buffer> {
    const result = await this.try(args, more);
    if (result.code !== 0) throw failed(args, result);
    return result.stdout;
  }

  /** The commit of a revision. */
  async commitOf(revision: string, pointer: string): Promise<string> {
    const named = `${checkedRevision(revision, pointer)}^{commit}`;
    const { code, stdout } = await this.try(['rev-parse', '--verify', '--quiet', '--end-of-options', named]);
    const oid = stdout.toString('utf8').trim();
    if (code !== 0 || !OID.test(oid)) throw notFound(pointer, `revision ${JSON.stringify(revision)}`);
    return oid;
  }

  /** The commit of a full ref name; undefined if the ref is missing. */
  async oidOf(ref: string): Promise<string | undefined> {
    const { code, stdout } = await this.try(['rev-parse', '--verify', '--quiet', '--end-of-options', ref]);
    return code === 0 ? stdout.toString('utf8').trim() : undefined;
  }

  /** The checked-out branch; undefined if there is none. */
  async currentBranch(): Promise<string | undefined> {
    const { code, stdout } = await this.try(['symbolic-ref', '--quiet', 'HEAD']);
    return code === 0
      ? stdout
          .toString('utf8')
          .trim()
          .replace(/^refs\/heads\//, '')
      : undefined;
  }

  /**
   * Refuses a tree that would put names of the platform into the root of the workspace, over its receipts or the record of its layout.
   * Git silently replaces files that the repository ignores.
   */
  async checkTree(tree: string): Promise<void> {
    if (this.folder !== this.tenant_root) return;
    const names = (await this.run(['ls-tree', '-z', '--name-only', tree])).split('\0');
    const reserved = names.find((name) => name !== '' && isReserved(name));
    if (reserved !== undefined)
      throw conflict('reserved', `${JSON.stringify(reserved)} in the commit is a name that the platform reserves`);
  }

  async isAncestor(older: string, newer: string): Promise<boolean> {
    return (await this.try(['merge-base', '--is-ancestor', older, newer])).code === 0;
  }

  /** Moves a ref from one commit to another, undefined meaning "does not exist"; false if it was not at `from`. */
  async moveRef(ref: string, from: string | undefined, to: string | undefined): Promise<boolean> {
    const none = '0'.repeat((from ?? to ?? '').length || 40);
    const args =
      to === undefined
        ? ['update-ref', '-d', ref, from ?? none]
        : ['update-ref', '--create-reflog', '-m', 'countersign', ref, to, from ?? none];
    return (await this.try(args)).code === 0;
  }
}

/** The error for a failed git command, with its message as a detail. */
export function failed(args: readonly string[], { code, stderr, cut }: GitResult): ToolError {
  const locked = /\.lock': File exists|Unable to create .*\.lock/.test(stderr);
  const details = {
    reason: locked ? 'locked' : cut ? 'too_much_output' : 'git_failed',
    command: args[0],
    exit_code: code,
    stderr: stderr.slice(0, 2_000),
  };
  const message = locked ? 'another git process uses the repository' : `git ${args[0]} failed`;
  return new ToolError('PROVIDER_ERROR', message, { class: locked ? 'transient' : 'semantic', retryable: locked, details });
}

/**
 * The real folder of a repository. The path must contain no link, and `.git` must be a folder: a file there could refer to a repository
 * anywhere. Remaining risk: a folder that is swapped after this check (the pack does not control how git opens it).
 */
async function locate(path: string, ctx: RunContext): Promise<[folder: string, tenant_root: string]> {
  const realRoot = await ctx.tenantFolder(ROOT_SETTING);
  const inside = path === '.' || path === './' ? '' : checkedPath(path, '/repo');
  const folder = inside === '' ? realRoot : join(realRoot, inside);
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined) throw notFound('/repo', `folder ${JSON.stringify(path)}`);
  if (real !== folder) throw refused('/repo', 'symbolic_link', 'the path contains a symbolic link, and links are not followed');
  const dot = await lstat(join(folder, '.git')).catch(() => undefined);
  if (!dot?.isDirectory()) throw refused('/repo', 'not_a_repository', `${JSON.stringify(path)} is not a git repository`);
  await checkSelfContained(join(folder, '.git'), realRoot);
  return [folder, realRoot];
}
