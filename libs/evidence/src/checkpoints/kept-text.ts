import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { S3Bucket } from '@countersign/store';

/** One text that is replaced as a whole. */
export interface KeptText {
  read(): Promise<string | undefined>;
  /** Resolves when it is durable. */
  write(text: string): Promise<void>;
}

/** In a file. */
export class TextFile implements KeptText {
  constructor(private readonly file: string) {}

  read(): Promise<string | undefined> {
    return readFile(this.file, 'utf8').catch(() => undefined);
  }

  async write(text: string): Promise<void> {
    await mkdir(dirname(this.file), { recursive: true });
    const handle = await open(`${this.file}.new`, 'w');
    await handle.writeFile(text);
    await handle.sync();
    await handle.close();
    await rename(`${this.file}.new`, this.file);
  }
}

/** In an object of a bucket, for services that share no folder. Of two that write at once one is lost. */
export class TextObject implements KeptText {
  constructor(
    private readonly bucket: Pick<S3Bucket, 'get' | 'put'>,
    private readonly key: string,
  ) {}

  async read(): Promise<string | undefined> {
    return (await this.bucket.get(this.key))?.toString();
  }

  write(text: string): Promise<void> {
    return this.bucket.put(this.key, Buffer.from(text));
  }
}
