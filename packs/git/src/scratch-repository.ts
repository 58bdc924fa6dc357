import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { RunContext } from '@countersign/tool-kit';
import { testContext } from '@countersign/tool-kit/test-context';

const ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Olga Owner',
  GIT_AUTHOR_EMAIL: 'olga@example.org',
  GIT_COMMITTER_NAME: 'Olga Owner',
  GIT_COMMITTER_EMAIL: 'olga@example.org',
};

/** The content of a folder: files with their content, folders without; in the order in which they can be created. */
interface Layout {
  top: string;
  entries: readonly { path: string; mode: number; content: Buffer | undefined }[];
}

/** Made with git once in a process: a dozen commands, which every spec would repeat. */
let made: Layout | undefined;

/** A workspace for specs with one repository in it, its remote, and a folder beside it that must not change. */
export class ScratchRepository {
  readonly top = mkdtempSync(join(tmpdir(), 'countersign-git-'));
  /** The workspace; `root` is the folder of tenant `test` in it. */
  readonly workspace = join(this.top, 'workspace');
  readonly root = join(this.workspace, 'test');
  readonly repo = join(this.root, 'app');
  readonly remote = join(this.top, 'remote.git');
  readonly outside = join(this.top, 'outside');

  /** On branch `agent/case-1/work` at main's second commit; `agent/case-1/other` at its first; `origin` has main. */
  make(): void {
    if (made) this.layOut(made);
    else {
      this.build();
      made = this.layout();
    }
  }

  private build(): void {
    for (const folder of [this.root, this.remote, this.outside]) mkdirSync(folder, { recursive: true });
    this.write(join(this.outside, 'secret.txt'), 'canary');
    this.git(this.remote, 'init', '--quiet', '--bare', '--initial-branch=main');
    this.git(this.top, 'init', '--quiet', '--initial-branch=main', this.repo);
    this.commit({ 'a.txt': 'one\ntwo\n', 'dir/b.txt': 'b\n' }, 'First');
    this.git(this.repo, 'branch', 'agent/case-1/other');
    this.commit({ 'a.txt': 'one\ntwo\nthree\n' }, 'Second');
    this.git(this.repo, 'remote', 'add', 'origin', this.remote);
    this.git(this.repo, 'push', '--quiet', 'origin', 'main');
    this.git(this.repo, 'switch', '--quiet', '--create', 'agent/case-1/work');
  }

  private layout(): Layout {
    const entries = readdirSync(this.top, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const content = entry.isFile() ? readFileSync(path) : undefined;
      return { path: relative(this.top, path), mode: statSync(path).mode, content };
    });
    return { top: this.top, entries: entries.sort((a, b) => (a.path < b.path ? -1 : 1)) };
  }

  private layOut({ top, entries }: Layout): void {
    for (const { path, mode, content } of entries) {
      const place = join(this.top, path);
      if (content === undefined) mkdirSync(place);
      else writeFileSync(place, path.endsWith('.git/config') ? content.toString().replaceAll(top, this.top) : content, { mode });
    }
    // The index also stores the inodes of files.
    this.git(this.repo, 'update-index', '-q', '--refresh');
  }

  commit(files: Record<string, string>, message: string): string {
    this.fill(files);
    this.git(this.repo, 'add', '--all');
    this.git(this.repo, 'commit', '--quiet', '--message', message);
    return this.head('HEAD');
  }

  fill(files: Record<string, string>): void {
    for (const [path, content] of Object.entries(files)) this.write(join(this.repo, path), content);
  }

  git(folder: string, ...args: string[]): string {
    return execFileSync('git', args, { cwd: folder, env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] })
      .toString('utf8')
      .trim();
  }

  /** Makes git wait without end for a list of shallow commits. */
  stall(): void {
    execFileSync('mkfifo', [join(this.repo, '.git/shallow')]);
  }

  head(revision: string, folder = this.repo): string {
    return this.git(folder, 'rev-parse', '--verify', revision);
  }

  get settings(): Record<string, string> {
    return { COUNTERSIGN_WORKSPACE_ROOT: this.workspace, COUNTERSIGN_GIT_PROTECTED: 'main,master,release/*' };
  }

  context(overrides: Partial<RunContext> = {}): RunContext {
    return testContext({ settings: this.settings, ...overrides });
  }

  /** Branches and files of the repository, branches of the remote, everything outside; without the pack's own refs. */
  snapshot(): Record<string, unknown> {
    const branches = (folder: string) =>
      this.git(folder, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads', 'refs/tags', 'refs/remotes');
    return {
      branches: branches(this.repo),
      remote: branches(this.remote),
      current: this.git(this.repo, 'symbolic-ref', 'HEAD'),
      status: this.git(this.repo, 'status', '--porcelain=v1'),
      config: readFileSync(join(this.repo, '.git/config'), 'utf8'),
      files: this.files(this.repo),
      outside: this.files(this.outside),
      top: readdirSync(this.top).sort(),
    };
  }

  remove(): void {
    rmSync(this.top, { recursive: true, force: true });
  }

  private files(folder: string): Record<string, string> {
    const found: Record<string, string> = {};
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && !path.includes('/.git/')) found[path] = createHash('sha256').update(readFileSync(path)).digest('hex');
    }
    return found;
  }

  private write(path: string, content: string): void {
    if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}
