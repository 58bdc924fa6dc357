import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { InfrastructureFault } from '@countersign/contracts';
import { MemoryRows } from './memory-rows.js';
import { placeText, type SealedPlace, type SealedRow } from './sealed-rows.js';

type Kept = Omit<SealedRow, 'wrapped' | 'ciphertext'> & { wrapped: string; ciphertext: string };
type Line = { put: Kept } | { remove: SealedPlace };

const DIGEST_HEX = 16;
const COMPACT_FROM = 1_000;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, DIGEST_HEX);

function lineOf(line: Line): string {
  const text = JSON.stringify(line);
  return `${digestOf(text)} ${text}\n`;
}

function keptOf(row: SealedRow): Line {
  return { put: { ...row, wrapped: row.wrapped.toString('base64'), ciphertext: row.ciphertext.toString('base64') } };
}

function parse(text: string): Line | undefined {
  const body = text.slice(DIGEST_HEX + 1);
  return text.slice(0, DIGEST_HEX) === digestOf(body) ? (JSON.parse(body) as Line) : undefined;
}

/**
 * Sealed rows in one private file (mode 0600): one line for each change, synced before it takes effect, many changes in one sync. One
 * process uses it (the data directory is locked). A torn last line is cut off; damage before it is refused.
 */
export class FileRows extends MemoryRows {
  private waiting: { text: string; done(): void; failed(cause: unknown): void }[] = [];
  private writing: Promise<void> | undefined;
  private broken: Error | undefined;

  private constructor(private readonly handle: FileHandle) {
    super();
  }

  /** @throws Error where the file is damaged. */
  static async open(file: string): Promise<FileRows> {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    const rows = new Map<string, SealedRow>();
    const lines = text.split('\n');
    const whole = lines.slice(0, -1);
    let good_bytes = 0;
    for (const [index, one] of whole.entries()) {
      const line = parse(one);
      if (!line && index < whole.length - 1)
        throw new Error(`the secrets in ${file} are damaged at line ${index + 1}: restore them from a backup`);
      if (!line) break;
      good_bytes += Buffer.byteLength(one) + 1;
      apply(rows, line);
    }
    if (whole.length > COMPACT_FROM && whole.length > 2 * rows.size) await compact(file, rows);
    const handle = await open(file, 'a', 0o600);
    if (good_bytes < Buffer.byteLength(text) && whole.length <= COMPACT_FROM) await handle.truncate(good_bytes);
    await syncFolder(file);
    const opened = new FileRows(handle);
    for (const [id, row] of rows) opened.rows.set(id, row);
    return opened;
  }

  override async put(row: SealedRow, over?: SealedRow): Promise<boolean> {
    if (!this.replace(row, over)) return false;
    await this.write(keptOf(row));
    return true;
  }

  override async remove(place: SealedPlace, over?: SealedRow): Promise<boolean> {
    if (!(await super.remove(place, over))) return false;
    const { kind, tenant_id, scope, owner, name } = place;
    await this.write({ remove: { kind, tenant_id, scope, owner, name } });
    return true;
  }

  override async rewrap(row: SealedRow, key: { key_id: string; wrapped: Buffer }): Promise<boolean> {
    if (!(await super.rewrap(row, key))) return false;
    await this.write(keptOf({ ...row, ...key }));
    return true;
  }

  override async close(): Promise<void> {
    await this.writing?.catch(() => undefined);
    await this.handle.close();
  }

  private write(line: Line): Promise<void> {
    if (this.broken) return Promise.reject(this.broken);
    return new Promise((done, failed) => {
      this.waiting.push({ text: lineOf(line), done, failed });
      this.writing ??= this.flush();
    });
  }

  /** After a failed sync the content of the disk is unknown: nothing more is written. */
  private async flush(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      try {
        await this.handle.appendFile(batch.map(({ text }) => text).join(''));
        await this.handle.datasync();
        for (const { done } of batch) done();
      } catch (cause) {
        this.broken = new InfrastructureFault('the secrets cannot be written to their file', { cause });
        for (const { failed } of [...batch, ...this.waiting]) failed(this.broken);
        this.waiting = [];
      }
    }
    this.writing = undefined;
  }
}

function apply(rows: Map<string, SealedRow>, line: Line): void {
  if ('remove' in line) rows.delete(placeText(line.remove));
  else {
    const { wrapped, ciphertext, ...rest } = line.put;
    rows.set(placeText(rest), { ...rest, wrapped: Buffer.from(wrapped, 'base64'), ciphertext: Buffer.from(ciphertext, 'base64') });
  }
}

async function compact(file: string, rows: ReadonlyMap<string, SealedRow>): Promise<void> {
  const part = `${file}.new`;
  const handle = await open(part, 'w', 0o600);
  await handle.writeFile([...rows.values()].map((row) => lineOf(keptOf(row))).join(''));
  await handle.sync();
  await handle.close();
  await rename(part, file);
}

async function syncFolder(file: string): Promise<void> {
  const folder = await open(dirname(file), 'r');
  await folder.sync();
  await folder.close();
}
