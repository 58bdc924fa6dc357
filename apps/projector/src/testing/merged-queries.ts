import type { Row, Sql, Statement } from '@countersign/store';

/** Merges concurrent queries of many readers into one: `loadCallStates` of each, answered from the rows of all. */
export class MergedQueries implements Sql {
  private waiting: Statement[] = [];
  private answer: Promise<Row[]> | undefined;

  constructor(private readonly sql: Sql) {}

  async query<R extends Row>(statement: Statement): Promise<R[]> {
    this.waiting.push(statement);
    this.answer ??= Promise.resolve().then(() => this.ask());
    const rows = await this.answer;
    const wanted = new Set(statement.params[0] as string[]);
    return rows.filter((row) => wanted.has(row.call_uuid as string)) as R[];
  }

  private ask(): Promise<Row[]> {
    const batch = this.waiting.splice(0);
    this.answer = undefined;
    const lists = (batch[0] as Statement).params.map((_, at) => batch.flatMap((statement) => statement.params[at] as unknown[]));
    return this.sql.query({ ...(batch[0] as Statement), params: lists });
  }
}
