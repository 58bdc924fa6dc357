import { readdir, readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunContext, ToolError } from '@countersign/tool-kit';

export const ROOT_SETTING = 'COUNTERSIGN_RECORDS_ROOT';
/** Sample records of the pack, so that every tool has data after installation. */
const SHIPPED = fileURLToPath(new URL('../data', import.meta.url));

/** Folders that may hold a record, the tenant's own first. Names cannot contain separators: their schemas refuse them. */
async function places(ctx: RunContext): Promise<string[]> {
  return [await ctx.tenantFolder(ROOT_SETTING), await ctx.commonFolder(ROOT_SETTING), SHIPPED];
}

/**
 * Refuses a path that leads, through a link, into another tenant's folder beside the tenant's own. The operator is responsible for links
 * to other places. Missing paths pass.
 */
export async function checkOwn(path: string, ctx: RunContext): Promise<void> {
  const own = await ctx.tenantFolder(ROOT_SETTING);
  const common = await ctx.commonFolder(ROOT_SETTING);
  const real = await realpath(path).catch((error) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
  if (real === undefined || !isBelow(real, dirname(own)) || isBelow(real, own) || isBelow(real, common)) return;
  throw new ToolError('PROVIDER_ERROR', 'a record is a link into the folder of another tenant: an operator must remove it', {
    class: 'authorization',
    details: { reason: 'symbolic_link', setting: ROOT_SETTING },
    effect: 'none',
  });
}

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** The first file of this name, or undefined. @throws read errors other than ENOENT. */
export async function readRecord(ctx: RunContext, ...name: string[]): Promise<string | undefined> {
  for (const place of await places(ctx)) {
    try {
      const path = join(place, ...name);
      await checkOwn(path, ctx);
      return await readFile(path, { encoding: 'utf8', signal: ctx.signal });
    } catch (error) {
      if (codeOf(error) === 'ABORT_ERR') throw new ToolError('CANCELLED', 'the call was aborted while it read', { effect: 'none' });
      if (!isAbsent(error)) throw error;
    }
  }
  return undefined;
}

/** The names in the first folder of this name, sorted; undefined if there is none. */
export async function listRecords(ctx: RunContext, ...name: string[]): Promise<string[] | undefined> {
  for (const place of await places(ctx)) {
    try {
      const path = join(place, ...name);
      await checkOwn(path, ctx);
      return (await readdir(path)).sort();
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }
  return undefined;
}

export function codeOf(error: unknown): string | undefined {
  return (error as { code?: string } | null)?.code;
}

function isAbsent(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
}
