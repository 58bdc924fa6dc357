import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Store } from '@countersign/store';

/** A text that is replaced as a whole. */
export interface KeptText {
  read(): Promise<string | undefined>;
  /** Compare and swap. False, without a write, if the text is no longer `known`. Resolves when it is durable. */
  replace(known: string | undefined, text: string): Promise<boolean>;
}

/** A text in a file; for a single writer process. */
export class TextFile implements KeptText {
  constructor(private readonly file: string) {}

  read(): Promise<string | undefined> {
    return readFile(this.file, 'utf8').catch(() => undefined);
  }

  async replace(known: string | undefined, text: string): Promise<boolean> {
    if ((await this.read()) !== known) return false;
    await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
    const handle = await open(`${this.file}.new`, 'w', 0o600);
    await handle.writeFile(text);
    await handle.sync();
    await handle.close();
    await rename(`${this.file}.new`, this.file);
    return true;
  }
}

/** A text in a row of the store, for services that share nothing else. Of two concurrent replacements one fails and must read again. */
export class TextRow implements KeptText {
  constructor(
    private readonly store: Store,
    private readonly name: string,
  ) {}

  async read(): Promise<string | undefined> {
    const [row] = await this.store.query<{ body: string }>({
      text: 'SELECT body FROM audit_texts WHERE name = $1',
      params: [this.name],
      name: 'audit_texts_read',
    });
    return row?.body;
  }

  async replace(known: string | undefined, text: string): Promise<boolean> {
    const rows = await this.store.query<{ name: string }>(
      known === undefined
        ? {
            text: 'INSERT INTO audit_texts (name, body) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING name',
            params: [this.name, text],
            name: 'audit_texts_first',
          }
        : {
            text: 'UPDATE audit_texts SET body = $3 WHERE name = $1 AND body = $2 RETURNING name',
            params: [this.name, known, text],
            name: 'audit_texts_replace',
          },
    );
    return rows.length === 1;
  }
}
