import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The state or the key of a witness cannot be used; the message is one line for the operator. */
export class WitnessFault extends Error {}

/** Replaces a file atomically; durable when it resolves. */
export async function writeSynced(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const handle = await open(`${file}.new`, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
  const folder = await open(dirname(file), 'r');
  await folder.sync();
  await folder.close();
}

/** Undefined if the file does not exist. @throws WitnessFault */
export const readText = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new WitnessFault(`${file} cannot be read: ${error.message}`);
  });
