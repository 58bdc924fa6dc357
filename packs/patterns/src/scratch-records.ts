import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Counterpart } from '@countersign/tool-kit/eval-pack';
import { ROOT_SETTING } from './records.js';

/** A counterpart for eval packs: a separate records root with these files of tenant `test`. */
export function scratchRecords(files: Readonly<Record<string, unknown>> = {}): Counterpart & { root(): string } {
  const scratch = new ScratchRecords();
  return {
    root: () => scratch.root,
    prepare: async () => scratch.make(files),
    clean: async () => scratch.remove(),
    settings: () => ({ [ROOT_SETTING]: scratch.root }),
    snapshot: async () => scratch.files(),
  };
}

class ScratchRecords {
  root = '';

  make(files: Readonly<Record<string, unknown>>): void {
    this.root = mkdtempSync(join(tmpdir(), 'countersign-records-'));
    for (const [name, content] of Object.entries(files)) {
      const path = join(this.root, 'test', name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    }
  }

  remove(): void {
    if (this.root !== '') rmSync(this.root, { recursive: true, force: true });
  }

  files(): Record<string, string> {
    const entries = readdirSync(this.root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
    const kept = paths.filter((path) => /^\/(test|shared)\//.test(path.slice(this.root.length)));
    return Object.fromEntries(kept.map((path) => [path.slice(this.root.length), readFileSync(path, 'utf8')]));
  }
}
