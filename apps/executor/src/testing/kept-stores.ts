import { PgliteStore, type Store } from '@countersign/store';
import { afterAll } from 'vitest';

const TABLES = `SELECT relname::text AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`;

/** Reuses databases for the specs of one file: starting one takes a second, emptying a returned one almost no time. */
class KeptStores {
  private spare: PgliteStore | undefined;
  private emptied: string | undefined;

  /** A database with only the rows that every database begins with. */
  async take(): Promise<PgliteStore> {
    const { spare } = this;
    this.spare = undefined;
    if (spare) return spare;
    const store = await PgliteStore.open({ memory: true });
    this.emptied ??= await tablesWithoutRows(store);
    return store;
  }

  /** Returns a database that no test uses any longer. */
  async giveBack(store: Store): Promise<void> {
    if (this.spare || !(store instanceof PgliteStore)) return store.close();
    await store.query({ text: `TRUNCATE ${this.emptied} RESTART IDENTITY`, params: [] });
    this.spare = store;
  }

  async close(): Promise<void> {
    await this.spare?.close();
    this.spare = undefined;
  }
}

/** Tables that are empty after the migrations, as a list for TRUNCATE. */
async function tablesWithoutRows(store: PgliteStore): Promise<string> {
  const empty: string[] = [];
  for (const { name } of await store.query<{ name: string }>({ text: TABLES, params: [] })) {
    if ((await store.query({ text: `SELECT 1 AS one FROM ${name} LIMIT 1`, params: [] })).length === 0) empty.push(name);
  }
  return empty.join(', ');
}

export const keptStores = new KeptStores();
afterAll(() => keptStores.close());
