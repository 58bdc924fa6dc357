import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { KINDS } from '../hermes/port.js';

const shape = z.strictObject({
  /** The answer to every write of this kind is lost after the write is on the disk. */
  cut_after_commit: z.enum(KINDS).optional(),
  /** A cancel that the state forbids is answered as done and changes nothing, as Tryton answers for orders in processing. */
  cancel_does_nothing: z.boolean().optional(),
});

export type Lies = z.output<typeof shape>;

/** What the ledger lies about, for tests: `lies.json` in its folder. Absent: it tells the truth. @throws on a file that is no such thing */
export async function liesIn(folder: string): Promise<Lies> {
  const text = await readFile(path.join(folder, 'lies.json'), 'utf8').catch((error: { code?: string }) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  return shape.parse(JSON.parse(text));
}
