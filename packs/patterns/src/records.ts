import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunContext, ToolError } from '@countersign/tool-kit';

export const ROOT_SETTING = 'COUNTERSIGN_RECORDS_ROOT';
/** What comes with the pack, so that every tool answers something on the first day. */
const SHIPPED = fileURLToPath(new URL('../data', import.meta.url));
const SHARED = 'shared';
const FOLDER_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/** The folder of this run's tenant. @throws ToolError where the root is not set or the tenant's name can be no folder. */
export function tenantFolder(ctx: RunContext): string {
  const root = ctx.settings[ROOT_SETTING];
  if (!root) throw new ToolError('PROVIDER_ERROR', `${ROOT_SETTING} is not set`, { effect: 'none' });
  if (!FOLDER_NAME.test(ctx.tenant_id) || ctx.tenant_id === SHARED) {
    throw new ToolError('POLICY_DENIED', `tenant ${JSON.stringify(ctx.tenant_id)} can have no records`, { effect: 'none' });
  }
  return join(root, ctx.tenant_id);
}

/** Folders that may hold a record, the tenant's own first. Names come from schemas that admit no separator. */
function places(ctx: RunContext): string[] {
  return [tenantFolder(ctx), join(ctx.settings[ROOT_SETTING] as string, SHARED), SHIPPED];
}

/** The first file of this name, or undefined. @throws what reading it threw, but for its absence. */
export async function readRecord(ctx: RunContext, ...name: string[]): Promise<string | undefined> {
  for (const place of places(ctx)) {
    try {
      return await readFile(join(place, ...name), { encoding: 'utf8', signal: ctx.signal });
    } catch (error) {
      if (codeOf(error) === 'ABORT_ERR') throw new ToolError('CANCELLED', 'aborted while reading', { effect: 'none' });
      if (!isAbsent(error)) throw error;
    }
  }
  return undefined;
}

/** The names in the first folder of this name, sorted; undefined where there is none. */
export async function listRecords(ctx: RunContext, ...name: string[]): Promise<string[] | undefined> {
  for (const place of places(ctx)) {
    try {
      return (await readdir(join(place, ...name))).sort();
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
