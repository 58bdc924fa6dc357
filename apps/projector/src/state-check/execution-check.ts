import { callId } from '@countersign/contracts';
import { type ExecutionState, type LoggedAttempt, type SeenRow, type SeenWith, wrongRow, wrongUnlogged } from '@countersign/domain';
import {
  type CheckedExecutions,
  type CheckedKeys,
  claimedResources,
  type ExecutionRow,
  executionId,
  readCheckedExecutions,
  type Store,
} from '@countersign/store';
import type { BackgroundPace } from '../audit/background-pace.js';
import type { WrongRow } from './wrong-row.js';

const names: Readonly<Record<number, ExecutionState>> = {
  1: 'running',
  2: 'succeeded',
  3: 'in_doubt',
  4: 'compensated',
  5: 'released',
  6: 'failed_with_effect',
  7: 'reading',
};

/** Unreadable resources count as different from those on the log. */
const unreadable = { generation: 0, settle_ms: -1, touched: [] };

function resourcesOf({ resources }: ExecutionRow): SeenRow['resources'] {
  if (resources === null) return null;
  try {
    return claimedResources(resources);
  } catch {
    return unreadable;
  }
}

function seenRow(row: ExecutionRow): SeenRow {
  const { epoch, source_offset, end_offset, ended_at_s } = row;
  const state = names[row.state] ?? 'failed_with_effect';
  const resources = resourcesOf(row);
  return { call_id: callId(row.partition, row.call_uuid), epoch, state, source_offset, end_offset, ended_at_s, resources };
}

/** The location of rows and their records: one partition of one lane. */
export interface ExecutionPlace {
  lane: string;
  partition: number;
}

/** The attempt, and the attempt of the second key of edited inputs, which belongs to it. */
function withSecond(attempt: LoggedAttempt): LoggedAttempt[] {
  const { also } = attempt;
  return also ? [attempt, { ...attempt, key: also.idempotency_key, attempt: also.attempt }] : [attempt];
}

/** Two calls may claim the same attempt of a key: then one of them never started. */
const ofCall = (attempt: LoggedAttempt): string => `${attempt.call_id} ${executionId(attempt)}`;

function seenWith({ leases, generations }: CheckedExecutions, ends_from: number): SeenWith {
  return {
    ends_from,
    leases: new Map(leases.map((lease) => [lease.epoch, lease])),
    generations: new Map(generations.map((newest) => [newest.resource, newest])),
  };
}

type Named = Pick<LoggedAttempt, 'key' | 'attempt' | 'tenant_id' | 'call_id'>;

const wrongOf = ({ key, attempt, tenant_id, call_id }: Named, { partition }: ExecutionPlace, wrong: string): WrongRow => ({
  table: 'tool_executions',
  partition,
  tenant_id,
  call_id,
  reason: `key ${key} attempt ${attempt}: ${wrong}`,
});

/** Compares the arbiter's rows, which decide which calls may run, with `tool-executed`. */
export class ExecutionCheck {
  constructor(
    private readonly store: Store,
    private readonly pace: BackgroundPace,
  ) {}

  /**
   * The differences in the rows of these attempts. `logged` reads the log after the rows, so that the log is never behind them. Empty if
   * no executor has owned the partition since the database was created: it folds the rows first.
   */
  async wrongAmong(
    place: ExecutionPlace,
    known: readonly LoggedAttempt[],
    logged: () => Promise<readonly LoggedAttempt[]>,
  ): Promise<WrongRow[]> {
    const wanted = known.flatMap(withSecond);
    const epochs = wanted.flatMap((each) => each.epochs);
    const resources = wanted.flatMap((each) => each.resources?.touched.map(({ resource }) => resource) ?? []);
    const read = await this.read({
      ...place,
      attempts: wanted,
      epochs: [...new Set(epochs)],
      resources: [...new Set(resources)],
    });
    if (read.ends_from === null) return [];
    const seen = seenWith(read, read.ends_from);
    const rows = new Map(read.rows.map((row) => [executionId(row), row]));
    const now = new Map((await logged()).flatMap(withSecond).map((attempt) => [ofCall(attempt), attempt]));
    return wanted.flatMap((before) => {
      const attempt = now.get(ofCall(before)) ?? before;
      const row = rows.get(executionId(attempt));
      const wrong = wrongRow(attempt, row && seenRow(row), seen);
      return wrong === undefined ? [] : [wrongOf(attempt, place, wrong)];
    });
  }

  private read(keys: CheckedKeys): Promise<CheckedExecutions> {
    return this.pace.run(() => readCheckedExecutions(this.store, keys));
  }

  /** The differences of rows without a record on the log. */
  async wrongUnlogged(place: ExecutionPlace, rows: readonly ExecutionRow[], is_log_whole: boolean): Promise<WrongRow[]> {
    const read = await this.read({ ...place, attempts: rows, epochs: [], resources: [] });
    if (read.ends_from === null) return [];
    const { leases } = seenWith(read, read.ends_from);
    return read.rows.flatMap((row) => {
      const seen = seenRow(row);
      const wrong = wrongUnlogged(seen, leases, is_log_whole);
      return wrong === undefined ? [] : [wrongOf({ ...row, call_id: seen.call_id }, place, wrong)];
    });
  }
}
