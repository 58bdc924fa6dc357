/** The WHERE part of a list: conditions joined by AND with their parameters in order. */
export class Conditions {
  readonly params: unknown[] = [];
  private readonly parts: string[] = [];

  /** `sql` holds one `?` for each value. */
  add(sql: string, ...values: unknown[]): this {
    let at = 0;
    this.parts.push(sql.replace(/\?/g, () => this.param(values[at++])));
    return this;
  }

  /** Adds an equality where a value is given. */
  equal(column: string, value: unknown): this {
    return value === undefined ? this : this.add(`${column} = ?`, value);
  }

  /** Adds that the JSON object in a column contains each of these entries, if any are given. */
  holds(column: string, entries: Readonly<Record<string, string>> | undefined): this {
    return entries === undefined ? this : this.add(`${column} IS NOT NULL AND ${column}::jsonb @> ?::text::jsonb`, JSON.stringify(entries));
  }

  /** The placeholder of a further parameter. */
  param(value: unknown): string {
    return `$${this.params.push(value)}`;
  }

  get where(): string {
    return this.parts.join(' AND ');
  }
}
