import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ToolError } from '@countersign/tool-kit';
import { z } from 'zod';

const limits = z
  .strictObject({ at_once: z.int().min(1).max(50), per_second: z.number().positive().max(1_000) })
  .default({ at_once: 4, per_second: 20 })
  .describe('of requests to this system');
const url = z.url({ protocol: /^https?$/ });

const shape = z.discriminatedUnion('connector', [
  z.strictObject({
    connector: z.literal('tryton'),
    url: url.describe('`http://host/<database>/`'),
    user: z.string().min(1).max(100),
    company: z.int().min(1).default(1),
    limits,
  }),
  z.strictObject({ connector: z.literal('odoo'), url, database: z.string().min(1).max(100), limits }),
]);

/** The business system of a tenant, as its operator names it; the password or the key is a secret of the tenant. */
export type ErpConnection = z.output<typeof shape>;

/** `connection.json` in the folder of the tenant; undefined: the tenant works on its ledger. @throws ToolError if the file is not valid */
export async function connectionIn(folder: string): Promise<ErpConnection | undefined> {
  const text = await readFile(path.join(folder, 'connection.json'), 'utf8').catch((error: { code?: string }) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const parsed = shape.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  const why = parsed.error.issues.map(({ path: at, message }) => `/${at.join('/')} ${message}`).join('; ');
  throw new ToolError('PROVIDER_ERROR', `connection.json of this tenant is not valid: ${why}`, { class: 'server', effect: 'none' });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
