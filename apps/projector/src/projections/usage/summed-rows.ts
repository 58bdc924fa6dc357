import { addToUsage, dropEmptyUsage, type Statement, type UsageTable } from '@countersign/store';
import { inChunks } from '../projection.js';

interface Summed {
  key: readonly (string | number)[];
  add: number[];
  /** True if something was subtracted: its counts may all be zero. */
  less: boolean;
}

/** Pending additions to the rows of one table: one row per key, whatever was counted since the last write. */
export class SummedRows {
  private readonly rows = new Map<string, Summed>();

  constructor(private readonly table: UsageTable) {}

  /** Adds to a row, or subtracts from it (`sign` -1). `id` is its key as text. */
  add(id: string, key: () => readonly (string | number)[], add: readonly number[], sign: 1 | -1): void {
    const row = this.rows.get(id);
    if (!row) {
      this.rows.set(id, { key: key(), add: sign === 1 ? [...add] : add.map((value) => -value), less: sign === -1 });
      return;
    }
    for (let at = 0; at < add.length; at++) row.add[at] = (row.add[at] as number) + sign * (add[at] as number);
    row.less ||= sign === -1;
  }

  statements(): Statement[] {
    const rows = [...this.rows.values()].filter(({ add }) => add.some((value) => value !== 0));
    const less = rows.filter((row) => row.less);
    return [...inChunks(rows, (chunk) => addToUsage(this.table, chunk)), ...inChunks(less, (chunk) => dropEmptyUsage(this.table, chunk))];
  }
}
