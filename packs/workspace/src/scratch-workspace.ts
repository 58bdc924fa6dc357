import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { RunContext } from '@countersign/tool-kit';
import { testContext } from '@countersign/tool-kit/test-context';

/** A workspace for specs, with a folder beside it (`outside`) that must not change. */
export class ScratchWorkspace {
  readonly top = mkdtempSync(join(tmpdir(), 'countersign-workspace-'));
  /** The workspace; `root` is the folder of tenant `test` in it. */
  readonly workspace = join(this.top, 'workspace');
  readonly root = join(this.workspace, 'test');
  readonly outside = join(this.top, 'outside');

  /** Writes files by path below the root. */
  async fill(files: Record<string, string | Buffer>): Promise<void> {
    await mkdir(this.root, { recursive: true });
    await mkdir(this.outside, { recursive: true });
    await writeFile(join(this.outside, 'secret.txt'), 'canary');
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(this.root, path)), { recursive: true });
      await writeFile(join(this.root, path), content);
    }
  }

  get settings(): Record<string, string> {
    return { COUNTERSIGN_WORKSPACE_ROOT: this.workspace };
  }

  context(overrides: Partial<RunContext> = {}): RunContext {
    return testContext({ settings: this.settings, ...overrides });
  }

  /** Every visible file of the workspace with its content's digest. */
  snapshot(folder = this.root): Record<string, string> {
    const found: Record<string, string> = {};
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(folder.length + 1);
      if (name.startsWith('.countersign-trash')) continue;
      if (entry.isFile()) found[name] = createHash('sha256').update(readFileSync(path)).digest('hex');
      else if (entry.isSymbolicLink()) found[name] = `-> ${readlinkSync(path)}`;
    }
    return found;
  }

  remove(): void {
    rmSync(this.top, { recursive: true, force: true });
  }
}
