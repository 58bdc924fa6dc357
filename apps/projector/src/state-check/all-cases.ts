import { CONFIGURATION_TOPIC } from '@countersign/process';
import { type CheckedCases, casesAfter, caseTables, readCheckedCases, type Store, type StoredCase } from '@countersign/store';
import type { CheckStep } from './all-calls.js';
import { type CaseRecords, caseName } from './case-records.js';
import type { NamedRow } from './wrong-row.js';

const ROWS_AT_ONCE = 500;
/** Cases that are folded at once, on average: more are compared in several passes over the log. */
const CASES_AT_ONCE = 200_000;

const keyOf = (name: string) => {
  const [tenant_id, ...rest] = name.split(' ');
  return { tenant_id: tenant_id as string, case_id: rest.join(' ') };
};

/** Spreads names over the passes. */
function slotOf(name: string, slots: number): number {
  let hash = 0;
  for (let at = 0; at < name.length; at++) hash = (hash * 31 + name.charCodeAt(at)) >>> 0;
  return hash % slots;
}

/** The columns in which a row differs from the log; undefined if it is right. */
function wrongCase(row: StoredCase | undefined, logged: StoredCase | undefined): string | undefined {
  if (!logged) return row && 'the log has no record of it';
  if (!row) return 'has no row, the log has its record';
  const wrong = (Object.keys(logged) as (keyof StoredCase)[]).filter((column) => row[column] !== logged[column]);
  return wrong.length === 0 ? undefined : `the row differs from the log in: ${wrong.join(', ')}`;
}

/** Compares the rows of all cases with the log, and finds rows without a record on the log. */
export class AllCases {
  constructor(
    private readonly store: Store,
    private readonly records: CaseRecords,
  ) {}

  async *steps(): AsyncGenerator<CheckStep> {
    const slots = Math.ceil((await this.records.size()) / CASES_AT_ONCE);
    for (let slot = 0; slot < slots; slot++) {
      const suspects = new Set<string>();
      const compared = yield* this.differing((name) => slotOf(name, slots) === slot, suspects);
      yield { records: 0, compared, wrong: await this.confirmed(suspects) };
    }
  }

  /** Adds the cases whose rows are not what the log says now: also those that change meanwhile. */
  private async *differing(isWanted: (name: string) => boolean, suspects: Set<string>): AsyncGenerator<CheckStep, number> {
    const { folded, version } = await this.page({ tenant_id: '', case_id: '' }, 1);
    if (version !== caseTables.version) return 0;
    const logged = await this.records.fold(folded, isWanted);
    yield { records: folded, compared: 0, wrong: [] };
    const missing = new Set(logged.keys());
    let compared = 0;
    for (let last: StoredCase | undefined; ; ) {
      const { rows } = await this.page(last ?? { tenant_id: '', case_id: '' }, ROWS_AT_ONCE);
      for (const row of rows) {
        const name = caseName(row);
        if (!isWanted(name)) continue;
        compared++;
        missing.delete(name);
        if (wrongCase(row, logged.get(name)) !== undefined) suspects.add(name);
      }
      last = rows.at(-1);
      if (!last) break;
    }
    for (const name of missing) suspects.add(name);
    return compared;
  }

  /** The suspects that still differ in one snapshot of rows and position. */
  private async confirmed(suspects: ReadonlySet<string>): Promise<NamedRow[]> {
    const names = [...suspects];
    const wrong: NamedRow[] = [];
    for (let at = 0; at < names.length; at += ROWS_AT_ONCE) {
      const some = new Set(names.slice(at, at + ROWS_AT_ONCE));
      const { folded, rows } = await this.records.pace.run(() => readCheckedCases(this.store, [...some].map(keyOf)));
      const logged = await this.records.fold(folded, (name) => some.has(name));
      const found = new Map(rows.map((row) => [caseName(row), row]));
      for (const name of some) {
        const why = wrongCase(found.get(name), logged.get(name));
        if (why !== undefined) wrong.push({ table: 'cases', partition: 0, ...named(name, why) });
      }
    }
    return wrong;
  }

  private page(after: { tenant_id: string; case_id: string }, limit: number): Promise<CheckedCases> {
    return this.records.pace.run(() => casesAfter(this.store, after, limit));
  }
}

function named(name: string, why: string): { tenant_id: string; reason: string } {
  const { tenant_id, case_id } = keyOf(name);
  return { tenant_id, reason: `case ${case_id}: ${why} (${CONFIGURATION_TOPIC})` };
}
