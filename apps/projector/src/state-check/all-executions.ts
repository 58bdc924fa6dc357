import { laneTopic } from '@countersign/contracts';
import type { LoggedAttempt } from '@countersign/domain';
import { type ExecutionKey, type ExecutionRow, executionsAfter, type Store } from '@countersign/store';
import { type CheckStep, shortId } from './all-calls.js';
import type { ExecutionPlace } from './execution-check.js';
import { foldInto, isOver } from './execution-records.js';
import { CONFIRM_AFTER_MS, type StateChecks } from './state-checks.js';

const ROWS_AT_ONCE = 500;
const FIRST: ExecutionKey = { key: '00000000-0000-0000-0000-000000000000', attempt: 0 };

const idOf = ({ key, attempt }: ExecutionKey): string => `${shortId(key)}${attempt}`;

function noteSeen(seen: Set<string>, attempts: readonly LoggedAttempt[]): void {
  for (const attempt of attempts) {
    seen.add(idOf(attempt));
    if (attempt.also) seen.add(idOf({ key: attempt.also.idempotency_key, attempt: attempt.also.attempt }));
  }
}

/** Compares all arbiter rows of a partition with the log, and finds rows without a record on the log. */
export class AllExecutions {
  constructor(
    private readonly store: Store,
    private readonly checks: StateChecks,
  ) {}

  async *steps(place: ExecutionPlace): AsyncGenerator<CheckStep> {
    const seen = new Set<string>();
    const different = yield* this.logged(place, seen);
    const unlogged = yield* this.unlogged(place, seen);
    if (different.size + unlogged.length === 0) return;
    const { pace } = this.checks.records;
    await pace.rest(CONFIRM_AFTER_MS);
    if (!pace.isStopped) yield { records: 0, compared: 0, wrong: await this.confirmed(place, different, unlogged) };
  }

  /** @returns the calls of rows that differ at a first comparison. */
  private async *logged(place: ExecutionPlace, seen: Set<string>): AsyncGenerator<CheckStep, Set<string>> {
    const { logged, executions } = this.checks;
    const below = await logged.head(place);
    const open = new Map<string, LoggedAttempt>();
    const different = new Set<string>();
    for await (const events of logged.pages(place, below)) {
      const done = events.flatMap((at) => foldInto(open, at) ?? []);
      for (const attempt of open.values()) if (isOver(attempt)) done.push(attempt);
      for (const { call_id } of done) if (isOver(open.get(call_id) as LoggedAttempt)) open.delete(call_id);
      noteSeen(seen, done);
      for (const { call_id } of await executions.wrongAmong(place, done, async () => done)) different.add(call_id);
      yield { records: events.length, compared: done.length, wrong: [] };
    }
    const left = [...open.values()];
    noteSeen(seen, left);
    for (const { call_id } of await executions.wrongAmong(place, left, () => logged.after(place, open, below))) different.add(call_id);
    yield { records: 0, compared: left.length, wrong: [] };
    return different;
  }

  private async *unlogged(place: ExecutionPlace, seen: ReadonlySet<string>): AsyncGenerator<CheckStep, ExecutionRow[]> {
    const { records, executions } = this.checks;
    const unlogged: ExecutionRow[] = [];
    for (let after = FIRST; !records.pace.isStopped; ) {
      const rows = await records.pace.run(() => executionsAfter(this.store, place, after, ROWS_AT_ONCE));
      const last = rows.at(-1);
      if (!last) break;
      const unseen = rows.filter((row) => !seen.has(idOf(row)));
      const wrong = new Set((await executions.wrongUnlogged(place, unseen, await this.isWhole(place))).map(({ call_id }) => call_id));
      unlogged.push(...unseen.filter((row) => wrong.has(`${row.partition}-${row.call_uuid}`)));
      yield { records: 0, compared: unseen.length, wrong: [] };
      after = last;
    }
    return unlogged;
  }

  /** The differences that remain after all log records of the row were read again. */
  private async confirmed(place: ExecutionPlace, different: ReadonlySet<string>, unlogged: readonly ExecutionRow[]) {
    const { logged, executions } = this.checks;
    const below = await logged.head(place);
    const ids = new Set([...different, ...unlogged.map((row) => `${row.partition}-${row.call_uuid}`)]);
    const known = await logged.whole(place, ids, below);
    const wrong = await executions.wrongAmong(place, [...known.values()], () => logged.after(place, known, below));
    const rows = unlogged.filter((row) => !known.has(`${row.partition}-${row.call_uuid}`));
    return [...wrong, ...(await executions.wrongUnlogged(place, rows, await this.isWhole(place)))];
  }

  private async isWhole({ lane, partition }: ExecutionPlace): Promise<boolean> {
    return (await this.checks.records.log.first(laneTopic('tool-executed', lane), partition)) === 0;
  }
}
