import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ConsoleWorld } from './console-world.js';

/** The key that the first start made. */
export const adminKey = ({ platform }: ConsoleWorld): string => readFileSync(path.join(platform.dataDir, 'admin.key'), 'utf8').trim();

/** A key for another person or agent. */
export async function keyOf(world: ConsoleWorld, principal: { kind: string; id: string; roles: string[] }): Promise<string> {
  const { status, body } = await world.admin.request('POST', '/v1/keys', { principal });
  if (status !== 201) throw new Error(`POST /v1/keys answered ${status}`);
  return body.key as string;
}
