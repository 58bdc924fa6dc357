import { Views } from '@countersign/calls';
import type { LogPosition, Sql } from '@countersign/store';
import { readSagaAnswer, readSagaRow, type SagaRow } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import type { SagaWatch } from './saga-watch.js';
import type { SagaRecord } from './saga-watches.js';

/** How long a request waits for its answer on the record, ms. */
export const ANSWER_WITHIN_MS = 10_000;
/** How long an answer waits for the views to show what is on the record, ms. */
export const SHOWN_WITHIN_MS = 1_000;
/** When the views are first read meanwhile, in case a record was missed, ms; the pause doubles up to the longest. */
const FIRST_LOOK_MS = 1_000;
const LONGEST_LOOK_MS = 8_000;

/** A request as the record answers it. */
export type SagaAnswer = { kind: 'done'; at: LogPosition | undefined } | RefusedRequest;
/** `at` is absent if only the views show the refusal. */
export type RefusedRequest = { kind: 'refused'; message: string; at: LogPosition | undefined };
/** The saga of a start request: as recorded, or as the views show it. */
export type StartAnswer =
  | { kind: 'started'; at: SagaRecordOf<'saga_started'>; end?: SagaRecordOf<'saga_ended'> }
  | { kind: 'known'; row: SagaRow }
  | RefusedRequest;
export type SagaRecordOf<T extends SagaRecord['event_type']> = Extract<SagaRecord, { event_type: T }>;

/** Waits until the record answers a request about a saga. */
@Injectable()
export class SagaAnswers {
  private readonly store: Sql;

  constructor(private readonly views: Views) {
    this.store = views.store;
  }

  /** The start of a saga; undefined if it is not on the record in time. */
  start(watch: SagaWatch, tenant_id: string, saga_id: string, command_id: string): Promise<StartAnswer | undefined> {
    const recorded = (): StartAnswer | undefined => {
      const at = watch.find(isOf('saga_started'));
      if (at) return { kind: 'started', at: this.noted(at) };
      return refusalOf(watch, command_id);
    };
    const shown = async (): Promise<StartAnswer | undefined> => {
      const row = await readSagaRow(this.store, tenant_id, saga_id);
      return row ? { kind: 'known', row } : this.shownRefusal(tenant_id, command_id);
    };
    return this.first(watch, recorded, shown, ANSWER_WITHIN_MS);
  }

  /** What became of a control request or the answer of a wait; undefined if it is not on the record in time. */
  outcome(watch: SagaWatch, tenant_id: string, command_id: string): Promise<SagaAnswer | undefined> {
    const recorded = (): SagaAnswer | undefined => {
      const at = watch.find(isOf('saga_controlled', 'saga_wait_ended'), (event) => event.command_id === command_id);
      return at ? { kind: 'done', at: positionOf(this.noted(at)) } : refusalOf(watch, command_id);
    };
    const shown = async (): Promise<SagaAnswer | undefined> => {
      const answer = await readSagaAnswer(this.store, tenant_id, command_id);
      if (!answer) return undefined;
      return answer.outcome === 'refused'
        ? { kind: 'refused', message: answer.message ?? '', at: undefined }
        : { kind: 'done', at: undefined };
    };
    return this.first(watch, recorded, shown, ANSWER_WITHIN_MS);
  }

  /** Resolves when the saga has ended, at the latest after this time, with the record of its end if this process saw it. */
  async end(watch: SagaWatch, tenant_id: string, saga_id: string, wait_ms: number): Promise<SagaRecordOf<'saga_ended'> | undefined> {
    const recorded = () => {
      const at = watch.find(isOf('saga_ended'));
      return at && this.noted(at);
    };
    const shown = async () => ((await readSagaRow(this.store, tenant_id, saga_id))?.ended_at_ms == null ? undefined : ('shown' as const));
    const end = await this.first<SagaRecordOf<'saga_ended'> | 'shown'>(watch, recorded, shown, wait_ms);
    return end === 'shown' ? undefined : end;
  }

  private async shownRefusal(tenant_id: string, command_id: string): Promise<StartAnswer | undefined> {
    const answer = await readSagaAnswer(this.store, tenant_id, command_id);
    return answer?.outcome === 'refused' ? { kind: 'refused', message: answer.message ?? '', at: undefined } : undefined;
  }

  /** Later reads of this gateway wait for the views to show the record. */
  private noted<T extends SagaRecord>(at: T): T {
    this.views.answered.note(positionOf(at));
    return at;
  }

  private async first<T>(
    watch: SagaWatch,
    recorded: () => T | undefined,
    shown: () => Promise<T | undefined>,
    within_ms: number,
  ): Promise<T | undefined> {
    const until_ms = performance.now() + within_ms;
    for (let look_ms = FIRST_LOOK_MS; ; look_ms = Math.min(2 * look_ms, LONGEST_LOOK_MS)) {
      let answer = recorded();
      while (answer === undefined && (await watch.next(Math.min(Math.max(0, until_ms - performance.now()), look_ms)))) answer = recorded();
      if (answer !== undefined) return answer;
      const found = await shown();
      if (found !== undefined || performance.now() >= until_ms) return found;
    }
  }
}

export const positionOf = ({ topic, partition, offset }: SagaRecord): LogPosition => ({ topic, partition, offset });

const isOf =
  <T extends SagaRecord['event_type']>(...types: readonly T[]) =>
  (at: SagaRecord): at is SagaRecordOf<T> =>
    (types as readonly string[]).includes(at.event_type);

function refusalOf(watch: SagaWatch, command_id: string): RefusedRequest | undefined {
  const at = watch.find(isOf('saga_request_refused'), (event) => event.command_id === command_id);
  return at && { kind: 'refused', message: at.event.message, at: positionOf(at) };
}
