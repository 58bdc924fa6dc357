import { laneTopic } from '@countersign/contracts';
import { compensatedAttempt, compensationIn, evolveAttempt, type LoggedAttempt, type PlacedEvent } from '@countersign/domain';
import type { CallRecords } from './call-records.js';
import type { ExecutionPlace } from './execution-check.js';

const FOR_EVER = Number.POSITIVE_INFINITY;

/** True if no later record can change its row. */
export const isOver = ({ ends }: LoggedAttempt): boolean => ends.length > 0 && ends.at(-1)?.state !== 'in_doubt';

/** Folds `tool-executed` of one partition into attempts, by call. */
export class ExecutionRecords {
  constructor(private readonly records: CallRecords) {}

  /** The attempts with a record in this page of the log. */
  async from(place: ExecutionPlace, offset: number, count: number): Promise<Map<string, LoggedAttempt>> {
    const attempts = new Map<string, LoggedAttempt>();
    await this.fold(place, attempts, { from: offset, below: offset + count });
    return attempts;
  }

  /** The same attempts with all records from an offset on, as far as any may follow. */
  async after(place: ExecutionPlace, known: ReadonlyMap<string, LoggedAttempt>, offset: number): Promise<readonly LoggedAttempt[]> {
    const attempts = new Map(known);
    const wanted = new Set(known.keys());
    const below = await this.head(place);
    await this.fold(place, attempts, { from: offset, below }, wanted, () => [...attempts.values()].every(isOver));
    return [...attempts.values()];
  }

  /** The attempts of these calls, from the whole log below an offset. */
  async whole(place: ExecutionPlace, call_ids: ReadonlySet<string>, below: number): Promise<Map<string, LoggedAttempt>> {
    const attempts = new Map<string, LoggedAttempt>();
    const from = await this.records.log.first(laneTopic('tool-executed', place.lane), place.partition);
    await this.fold(place, attempts, { from, below }, call_ids);
    return attempts;
  }

  /** All records of the partition, page by page. */
  async *pages(place: ExecutionPlace, below: number): AsyncGenerator<PlacedEvent[]> {
    const topic = laneTopic('tool-executed', place.lane);
    const from = await this.records.log.first(topic, place.partition);
    yield* this.records.read({ topic, partition: place.partition, from, below, until_ms: FOR_EVER });
  }

  head({ lane, partition }: ExecutionPlace): Promise<number> {
    return this.records.log.head(laneTopic('tool-executed', lane), partition);
  }

  private async fold(
    { lane, partition }: ExecutionPlace,
    attempts: Map<string, LoggedAttempt>,
    { from, below }: { from: number; below: number },
    wanted?: ReadonlySet<string>,
    isDone: () => boolean = () => false,
  ): Promise<void> {
    const stretch = { topic: laneTopic('tool-executed', lane), partition, from, below, until_ms: FOR_EVER };
    if (isDone()) return;
    for await (const events of this.records.read(stretch, wanted)) {
      for (const at of events) foldInto(attempts, at);
      if (isDone()) return;
    }
  }
}

/** Applies a record that undoes the effect of another attempt. */
function undoInto(attempts: Map<string, LoggedAttempt>, at: PlacedEvent): void {
  const undone = compensationIn(at)?.effect.call_id;
  const attempt = undone === undefined ? undefined : attempts.get(undone);
  if (attempt) attempts.set(attempt.call_id, compensatedAttempt(attempt, at));
}

/** @returns the previous attempt, if the record begins a new one of the call. */
export function foldInto(attempts: Map<string, LoggedAttempt>, at: PlacedEvent): LoggedAttempt | undefined {
  const call_id = at.event.meta.call_id as string;
  const before = attempts.get(call_id);
  undoInto(attempts, at);
  const after = evolveAttempt(before, at);
  if (!after || after === before) return undefined;
  attempts.set(call_id, after);
  return before && before.attempt !== after.attempt ? before : undefined;
}
