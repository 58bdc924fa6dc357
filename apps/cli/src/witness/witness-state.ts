import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { COSIGNATURE_V1, type NoteSigner, noteSigner } from '@countersign/proofs';

/** The state or the key of a witness cannot be used; the message is one line for the operator. */
export class WitnessFault extends Error {}

async function writeSynced(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
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

const readText = (file: string) =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new WitnessFault(`${file} cannot be read: ${error.message}`);
  });

/** The witness's key: made at the first use (mode 0600), never replaced. @throws WitnessFault where the file is damaged. */
export async function witnessKey(file: string, name: string): Promise<NoteSigner> {
  const known = await readText(file);
  if (known === undefined) {
    await writeSynced(file, `${JSON.stringify({ name, seed: randomBytes(32).toString('base64') })}\n`);
    return witnessKey(file, name);
  }
  try {
    const { name: own, seed } = JSON.parse(known) as { name: string; seed: string };
    return noteSigner(own, Buffer.from(seed, 'base64'), COSIGNATURE_V1);
  } catch {
    throw new WitnessFault(`the key file ${file} is damaged: restore it from a backup`);
  }
}

/** The note that the witness saw last, synced before its cosignature leaves. */
export class WitnessState {
  constructor(private readonly file: string) {}

  async seen(): Promise<string | undefined> {
    return readText(this.file);
  }

  save(note: string): Promise<void> {
    return writeSynced(this.file, note);
  }
}
