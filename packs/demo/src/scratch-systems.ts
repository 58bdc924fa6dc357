import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { ROOT_SETTING } from './fake-system.js';

/** The fake systems of the demo in a folder of their own, for eval packs. */
export class ScratchSystems {
  private readonly root = mkdtempSync(join(tmpdir(), 'countersign-demo-'));

  get settings(): Record<string, string> {
    return { [ROOT_SETTING]: this.root };
  }

  /** The bookings of tenant `test` that stand, without those that were taken back: `bank pay-1a2b3c`. */
  bookings(): string[] {
    const folder = join(this.root, 'test');
    if (!existsSync(folder)) return [];
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = new Set(files.map(({ parentPath, name }) => join(parentPath, name)));
    return [...paths]
      .filter((path) => path.endsWith('.json') && !paths.has(path.replace(/\.json$/, '.reversed')))
      .map((path) => `${basename(dirname(path))} ${JSON.parse(readFileSync(path, 'utf8')).receipt_id}`)
      .sort();
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
