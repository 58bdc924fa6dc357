import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Compensates, Reconciled, RunContext, Verified } from '@countersign/tool-kit';

export const ROOT_SETTING = 'COUNTERSIGN_DEMO_ROOT';

interface Receipt {
  receipt_id: string;
}

const isCode = (error: unknown, code: string): boolean => (error as { code?: string } | null)?.code === code;

async function placeOf(ctx: RunContext, system: string, key: string): Promise<string> {
  const folder = path.join(await ctx.tenantFolder(ROOT_SETTING), system);
  await mkdir(folder, { recursive: true });
  return path.join(folder, encodeURIComponent(key));
}

async function receiptAt(place: string): Promise<Receipt | undefined> {
  try {
    return JSON.parse(await readFile(`${place}.json`, 'utf8')) as Receipt;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function isReversed(place: string): Promise<boolean> {
  try {
    await readFile(`${place}.reversed`);
    return true;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** Books once for each key in a fake business system, which is a folder of receipts: the same key gets the same receipt. */
export async function bookOnce(ctx: RunContext, system: string, prefix: string): Promise<Receipt> {
  const place = await placeOf(ctx, system, ctx.idempotency_key);
  const receipt: Receipt = { receipt_id: `${prefix}-${ctx.idempotency_key.slice(-6)}` };
  try {
    await writeFile(`${place}.json`, JSON.stringify(receipt), { flag: 'wx' });
    return receipt;
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
    return (await receiptAt(place)) ?? receipt;
  }
}

/** Whether the system has a receipt for the key of this run. */
export async function reconciled(ctx: RunContext, system: string): Promise<Reconciled<Receipt>> {
  const receipt = await receiptAt(await placeOf(ctx, system, ctx.idempotency_key));
  return receipt ? { kind: 'happened', output: receipt } : { kind: 'did_not_happen' };
}

/** Takes a booking back; a second time changes nothing. */
export async function reverse({ idempotency_key }: Pick<Compensates, 'idempotency_key'>, ctx: RunContext, system: string): Promise<object> {
  await writeFile(`${await placeOf(ctx, system, idempotency_key)}.reversed`, '');
  return { reversed: true };
}

/** Reads back whether the booking of this run stands. */
export async function verified(ctx: RunContext, system: string): Promise<Verified> {
  const place = await placeOf(ctx, system, ctx.idempotency_key);
  if ((await receiptAt(place)) && !(await isReversed(place))) return { kind: 'verified' };
  return { kind: 'contradicted', why: `the ${system} of the demo has no such booking` };
}
