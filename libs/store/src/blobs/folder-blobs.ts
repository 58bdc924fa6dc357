import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { InfrastructureFault } from '@countersign/contracts';
import { addressOf, type Blobs, contentTypeOf, isIntact, type KeptBlob, pathOf } from './blobs.js';

/**
 * Blobs in a local folder: written to a temporary file, synced, then renamed to their final name. The folder must be on one file system.
 */
export class FolderBlobs implements Blobs {
  constructor(private readonly dir: string) {}

  async put(tenant_id: string, bytes: Uint8Array, content_type: string, markings?: readonly string[]): Promise<KeptBlob> {
    const blob = addressOf(bytes, content_type, markings);
    const file = path.join(this.dir, pathOf(tenant_id, blob.name));
    try {
      const there = await stat(file).catch(() => undefined);
      if (there?.size !== blob.bytes) await write(file, bytes);
      return blob;
    } catch (cause) {
      throw new InfrastructureFault(`a blob could not be stored: ${(cause as Error).message}`, { cause });
    }
  }

  async get(tenant_id: string, name: string): Promise<Buffer | undefined> {
    if (contentTypeOf(name) === undefined) return undefined;
    let bytes: Buffer;
    try {
      bytes = await readFile(path.join(this.dir, pathOf(tenant_id, name)));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new InfrastructureFault(`a blob could not be read: ${(cause as Error).message}`, { cause });
    }
    if (!isIntact(name, bytes)) throw new InfrastructureFault(`the blob ${name} is damaged`);
    return bytes;
  }
}

async function write(file: string, bytes: Uint8Array): Promise<void> {
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}.part`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (cause) {
    await rm(draft, { force: true });
    throw cause;
  }
  const directory = await open(folder, 'r');
  await directory.sync().finally(() => directory.close());
}
