/** Rows changed in a table, by kind. `dead` rows are old versions that a VACUUM frees. */
interface Changes {
  changed: number;
  dead: number;
  /** Rows inserted minus rows deleted, as known since the store was opened. */
  rows: number;
  /** `rows` at the last ANALYZE. */
  analysed: number;
}

type Kind = 'insert' | 'update' | 'delete' | 'copy';

const ANALYZE_AT = 2_000;
const VACUUM_AT = 20_000;
const WRITES = /\b(?:(insert)\s+into|(update)|(delete)\s+from|(copy))\s+(?:only\s+)?([a-z_][a-z0-9_]*)/gi;

/** The tables that a statement writes, and how; in the SQL of this repository no CTE name follows these words. */
export function writesOf(text: string): { table: string; kind: Kind }[] {
  const writes: { table: string; kind: Kind }[] = [];
  for (const match of text.matchAll(WRITES)) {
    const table = (match[5] as string).toLowerCase();
    if (table === 'set' || table === 'of' || table === 'skip' || table === 'nowait') continue;
    writes.push({ table, kind: (['insert', 'update', 'delete', 'copy'] as const)[match.slice(1).findIndex(Boolean)] as Kind });
  }
  return writes;
}

/**
 * Decides when a table needs ANALYZE or VACUUM. PGlite has neither autovacuum nor change statistics, so both are counted here from the
 * executed statements. An ANALYZE is due after as many changes as the table had rows at the last one, at least 2,000: plans use indexes
 * whatever the statistics, and each ANALYZE delays claims and replans every statement. A VACUUM is due when dead rows reach a fifth of
 * the rows, at least 20,000.
 */
export class Maintenance {
  readonly #tables = new Map<string, Changes>();
  readonly #known = new Map<string, ReturnType<typeof writesOf>>();

  /** Counts a finished statement by its text and its command tag ('INSERT 0 64'). */
  note(text: string, tag: string): void {
    const count = Number(tag.slice(tag.lastIndexOf(' ') + 1));
    if (!(count > 0)) return;
    let writes = this.#known.get(text);
    if (!writes) {
      writes = writesOf(text);
      if (this.#known.size < 1_000) this.#known.set(text, writes);
    }
    for (const { table, kind } of writes) this.#count(table, kind, count);
  }

  /** The statements that are due now, one for each table; resets their counts. */
  due(): string[] {
    const statements: string[] = [];
    for (const [table, changes] of this.#tables) {
      if (changes.dead >= Math.max(VACUUM_AT, changes.rows / 5)) {
        changes.dead = 0;
        changes.changed = 0;
        changes.analysed = changes.rows;
        statements.push(`VACUUM (ANALYZE, TRUNCATE FALSE) ${table}`);
      } else if (changes.changed >= Math.max(ANALYZE_AT, changes.analysed)) {
        changes.changed = 0;
        changes.analysed = changes.rows;
        statements.push(`ANALYZE ${table}`);
      }
    }
    return statements;
  }

  #count(table: string, kind: Kind, count: number): void {
    const changes = this.#tables.get(table) ?? { changed: 0, dead: 0, rows: 0, analysed: 0 };
    this.#tables.set(table, changes);
    if (kind === 'copy') {
      // Rows of a build, which is analysed when it is complete (`indexBuild`).
      changes.rows += count;
      changes.analysed += count;
      return;
    }
    changes.changed += count;
    if (kind !== 'insert') changes.dead += count;
    if (kind === 'insert') changes.rows += count;
    if (kind === 'delete') changes.rows -= count;
  }
}
