import { randomBytes } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { KnownWrappingKeys, type WrappedKey, WrappingKeys } from './wrapping-keys.js';

const KEY_BYTES = 32;

interface Kept {
  /** Newest first. */
  keys: { id: string; key: string }[];
}

/** Wrapping keys in a private file (mode 0600), synced before any of them is used; the newest is the current one. */
export class WrappingKeyFile extends WrappingKeys {
  private constructor(
    private readonly file: string,
    private kept: Kept,
    private keys: KnownWrappingKeys,
  ) {
    super();
  }

  /** Reads the file, or creates it with a first key. @throws Error if it is damaged: it is never replaced. */
  static async open(file: string): Promise<WrappingKeyFile> {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) {
      const kept = grown({ keys: [] });
      await keep(file, kept);
      return new WrappingKeyFile(file, kept, known(kept));
    }
    try {
      const kept = JSON.parse(text) as Kept;
      return new WrappingKeyFile(file, kept, known(kept));
    } catch (cause) {
      throw new Error(`the key file ${file} is damaged: restore it from a backup (without it, no secret can be read)`, { cause });
    }
  }

  current(): string {
    return this.keys.current();
  }
  wrap(data_key: Buffer, about: string): Promise<WrappedKey> {
    return this.keys.wrap(data_key, about);
  }
  unwrap(key: WrappedKey, about: string): Promise<Buffer> {
    return this.keys.unwrap(key, about);
  }

  async rotate(): Promise<string> {
    const kept = grown(this.kept);
    await keep(this.file, kept);
    this.kept = kept;
    this.keys = known(kept);
    return this.current();
  }
}

function grown({ keys }: Kept): Kept {
  const id = `k${keys.length + 1}`;
  return { keys: [{ id, key: randomBytes(KEY_BYTES).toString('base64') }, ...keys] };
}

function known({ keys }: Kept): KnownWrappingKeys {
  return new KnownWrappingKeys(keys.map(({ id, key }) => [id, Buffer.from(key, 'base64')]));
}

/** Writes the whole file and syncs it before it gets its name. */
async function keep(file: string, kept: Kept): Promise<void> {
  const part = `${file}.${process.pid}.new`;
  const handle = await open(part, 'w', 0o600);
  await handle.writeFile(`${JSON.stringify(kept)}\n`);
  await handle.sync();
  await handle.close();
  await rename(part, file);
  const folder = await open(dirname(file), 'r');
  await folder.sync();
  await folder.close();
}
