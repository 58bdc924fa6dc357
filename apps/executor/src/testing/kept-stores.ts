import { PgliteStore, type Store } from '@countersign/store';
import { afterAll } from 'vitest';

const TABLES = `SELECT relname::text AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`;

/** Fresh databases for the specs of one file: to start one takes a second, to empty one that is given back almost none. */
class KeptStores {
  private spare: PgliteStore | undefined;
  private emptied: string | undefined;

  /** One with no rows but those that every database begins with. */
  async take(): Promise<PgliteStore> {
    const { spare } = this;
    this.spare = undefined;
    if (spare) return spare;
    const store = await PgliteStore.open({ memory: true });
    this.emptied ??= await tablesWithoutRows(store);
    return store;
  }

  /** No test uses it any longer. */
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

/** What a migrated database has no row in, as a list for TRUNCATE. */
async function tablesWithoutRows(store: PgliteStore): Promise<string> {
  const empty: string[] = [];
  for (const { name } of await store.query<{ name: string }>({ text: TABLES, params: [] })) {
    if ((await store.query({ text: `SELECT 1 AS one FROM ${name} LIMIT 1`, params: [] })).length === 0) empty.push(name);
  }
  return empty.join(', ');
}

export const keptStores = new KeptStores();
afterAll(() => keptStores.close());
