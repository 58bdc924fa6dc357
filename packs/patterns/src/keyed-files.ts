import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isToolError, type RunContext, ToolError } from '@countersign/tool-kit';
import type { KeyedRecords } from '@countersign/tool-kit/patterns/keyed-records';
import { checkOwn, codeOf, ROOT_SETTING } from './records.js';

const KEY = /^[A-Za-z0-9-]{1,64}$/;

/** One JSON file for each key in a folder of the tenant. A record is written atomically, and is on the disk before `add` resolves. */
export class KeyedFiles<T> implements KeyedRecords<T> {
  constructor(private readonly area: string) {}

  find(ctx: RunContext, key = ctx.idempotency_key): Promise<T | undefined> {
    return this.at(ctx, key);
  }

  async at(ctx: RunContext, key: string): Promise<T | undefined> {
    if (!KEY.test(key)) return undefined;
    try {
      return JSON.parse(await readFile(join(await this.folder(ctx), `${key}.json`), 'utf8')) as T;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw asToolError(error, 'none');
    }
  }

  async add(record: T, ctx: RunContext): Promise<T> {
    if (!KEY.test(ctx.idempotency_key))
      throw new ToolError('VALIDATION_ERROR', 'the key cannot be used as a file name', { effect: 'none' });
    const folder = await this.folder(ctx);
    const staged = join(folder, `.${randomUUID()}`);
    try {
      await mkdir(folder, { recursive: true });
      await writeDurably(staged, JSON.stringify(record));
      if (ctx.signal.aborted) throw new ToolError('CANCELLED', 'the call was aborted before the record was stored', { effect: 'none' });
      // A link does not replace: of two runs with one key, one is first, and both return its record.
      await link(staged, join(folder, `${ctx.idempotency_key}.json`));
      await syncFolder(folder);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw asToolError(error, 'unknown');
    } finally {
      await unlink(staged).catch(() => undefined);
    }
    return (await this.find(ctx)) as T;
  }

  async remove(ctx: RunContext, key: string): Promise<boolean> {
    if (!KEY.test(key)) return false;
    try {
      const folder = await this.folder(ctx);
      await unlink(join(folder, `${key}.json`));
      await syncFolder(folder);
      return true;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false;
      throw asToolError(error, 'unknown');
    }
  }

  private async folder(ctx: RunContext): Promise<string> {
    const folder = join(await ctx.tenantFolder(ROOT_SETTING), this.area);
    await checkOwn(folder, ctx);
    return folder;
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function asToolError(error: unknown, effect: 'none' | 'unknown'): unknown {
  const code = codeOf(error);
  return code === undefined || isToolError(error)
    ? error
    : new ToolError('PROVIDER_ERROR', `the records cannot be used (${code})`, { effect });
}
