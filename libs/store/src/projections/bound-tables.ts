import type { Row, Sql, Statement } from '../store.js';

const BRACED = /\{([a-z_]+)\}/g;

/** Replaces the table names that statements put in braces. Each named statement is rewritten once. */
export class BoundTables {
  readonly #known = new Map<string, { name: string; text: string }>();

  /** @param relations by the stable name of the table; each value begins with that name */
  constructor(private readonly relations: ReadonlyMap<string, string>) {}

  bind({ name, text, params, new_rows }: Statement): Statement {
    const more = new_rows ? { new_rows } : {};
    if (name === undefined) return { text: this.#put(text), params, ...more };
    let known = this.#known.get(name);
    if (!known) {
      known = { name: name + this.#suffixes(text), text: this.#put(text) };
      this.#known.set(name, known);
    }
    return { name: known.name, text: known.text, params, ...more };
  }

  /** An Sql whose statements use these tables. */
  of(sql: Sql): Sql {
    return { query: <R extends Row>(statement: Statement) => sql.query<R>(this.bind(statement)) };
  }

  #suffixes(text: string): string {
    const suffixes = [...text.matchAll(BRACED)].map(([, table = '']) => this.relations.get(table)?.slice(table.length) ?? '');
    return [...new Set(suffixes)].join('');
  }

  #put(text: string): string {
    return text.replaceAll(BRACED, (braced, table: string) => this.relations.get(table) ?? braced);
  }
}

/** Replaces braced names with the stable names: what readers see. */
export const stableTables = (tables: readonly string[]): BoundTables => new BoundTables(new Map(tables.map((name) => [name, name])));
