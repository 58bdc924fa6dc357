import { type Caller, CallSealer, Refusal, Views } from '@countersign/calls';
import type { EventMap } from '@countersign/contracts';
import type { Tenant } from '@countersign/domain';
import { countOpenSagas, type LogPosition, readSagaRow, type SagaRow } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { positionText } from '../positions/positions.js';
import { ANSWER_WITHIN_MS, positionOf, SagaAnswers, type StartAnswer } from './saga-answers.service.js';
import type { SagaIdentity } from './saga-identity.js';
import { SagaRequests } from './saga-requests.js';
import type { StartedSaga } from './saga-start.js';
import { startedSummary, summaryOf } from './saga-summary.js';
import type { SagaWatch } from './saga-watch.js';
import { SagaWatches } from './saga-watches.js';

/** Open sagas of one tenant; more are refused. */
export const OPEN_SAGAS_MAX = 10_000;
/** How long an answer waits for the views to show what is on the record, ms. */
const SHOWN_WITHIN_MS = 1_000;

type Fields = Omit<EventMap['saga_requested'], 'meta' | 'requested_at_ms'>;

interface LaunchBy {
  caller: Caller;
  wait_ms: number;
  subjects: readonly string[];
}

const tooMany = (): Refusal =>
  new Refusal('too-many-sagas', `the tenant has ${OPEN_SAGAS_MAX} sagas that have not ended, which is its cap`);
const refused = (message: string): Refusal => new Refusal('conflict', message, { reason: 'saga_request_refused' });
const pending = (saga_id: string): Refusal =>
  new Refusal(
    'unavailable',
    `the request is on the record, but the saga did not start within ${ANSWER_WITHIN_MS / 1000} s: it starts as soon as an orchestrator runs. Read it, or send the same request again with the same saga_id or Idempotency-Key`,
    { reason: 'saga_start_pending', saga_id },
  );
const taken = ({ chosen_by, saga_id }: SagaIdentity): Refusal =>
  chosen_by === 'key'
    ? new Refusal('key-reused', 'the Idempotency-Key started a saga with another request: use a new key', { saga_id })
    : new Refusal('conflict', `the saga ${saga_id} was started with another request or by another principal: choose another id`, {
        reason: 'saga_id_taken',
      });

/** Records start requests and waits for their sagas. */
@Injectable()
export class SagaLaunches {
  /** Requests of each tenant that wait for their start: the views do not count them yet. */
  private readonly starting = new Map<string, number>();

  constructor(
    private readonly requests: SagaRequests,
    private readonly watches: SagaWatches,
    private readonly answers: SagaAnswers,
    private readonly views: Views,
    private readonly sealer: CallSealer,
  ) {}

  /** Answers a repeated request with its saga; a refusal if the request differs from the first one. */
  async repeated(
    identity: SagaIdentity,
    row: SagaRow,
    { caller: { tenant_id }, wait_ms }: Omit<LaunchBy, 'subjects'>,
  ): Promise<StartedSaga | Refusal> {
    if (row.request_digest !== identity.request_digest) return taken(identity);
    if (row.end_status !== null || wait_ms === 0) return shown(row, true);
    const watch = this.watches.open(tenant_id, row.saga_id);
    try {
      await this.answers.end(watch, tenant_id, row.saga_id, wait_ms);
    } finally {
      watch.close();
    }
    return shown((await this.row(tenant_id, row.saga_id, [])) ?? row, true);
  }

  async launch(tenant: Tenant, identity: SagaIdentity, fields: Fields, by: LaunchBy): Promise<StartedSaga | Refusal> {
    const { tenant_id } = tenant;
    const starting = this.starting.get(tenant_id) ?? 0;
    if ((await countOpenSagas(this.views.store, tenant_id, OPEN_SAGAS_MAX)) + starting >= OPEN_SAGAS_MAX) return tooMany();
    const sealed = await this.sealed(tenant_id, fields, by.subjects);
    if (sealed instanceof Refusal) return sealed;
    this.starting.set(tenant_id, (this.starting.get(tenant_id) ?? 0) + 1);
    const watch = this.watches.open(tenant_id, identity.saga_id);
    try {
      const command_id = await this.requests.record(tenant, 'saga_requested', sealed);
      const answer = await this.answers.start(watch, tenant_id, identity.saga_id, command_id);
      this.started(tenant_id);
      return await this.answered(watch, identity, answer, by);
    } finally {
      watch.close();
    }
  }

  private started(tenant_id: string): void {
    const left = (this.starting.get(tenant_id) ?? 1) - 1;
    if (left > 0) this.starting.set(tenant_id, left);
    else this.starting.delete(tenant_id);
  }

  /** Inputs about data subjects are sealed under their keys. A definition is not: it may hold no personal data. */
  private async sealed(tenant_id: string, fields: Fields, subjects: readonly string[]): Promise<Fields | Refusal> {
    const { inputs_json, definition_json } = fields;
    const forged = this.sealer.forged(tenant_id, `${inputs_json}\n${definition_json ?? ''}`);
    if (forged || subjects.length === 0) return forged ?? fields;
    const sealed = await this.sealer.jsonAbout(tenant_id, subjects, inputs_json);
    return sealed instanceof Refusal ? sealed : { ...fields, inputs_json: sealed as string };
  }

  private async answered(
    watch: SagaWatch,
    identity: SagaIdentity,
    answer: StartAnswer | undefined,
    by: LaunchBy,
  ): Promise<StartedSaga | Refusal> {
    const { saga_id, request_digest } = identity;
    const { tenant_id } = by.caller;
    if (!answer) return pending(saga_id);
    if (answer.kind === 'known') return this.repeated(identity, answer.row, by);
    if (answer.kind === 'refused') {
      const row = identity.chosen_by === 'none' ? undefined : await this.row(tenant_id, saga_id, answer.at ? [answer.at] : []);
      return row ? this.repeated(identity, row, by) : refused(answer.message);
    }
    const { at } = answer;
    if (at.event.request_digest !== request_digest) return taken(identity);
    if (by.wait_ms > 0) await this.answers.end(watch, tenant_id, saga_id, by.wait_ms);
    const row = await this.row(tenant_id, saga_id, [positionOf(at)]);
    const headers = { location: locationOf(saga_id), 'countersign-position': positionText(positionOf(at)) };
    if (row) return { ...shown(row, false), headers };
    return { saga: startedSummary(at.event), is_repeat: false, has_ended: false, headers };
  }

  /** The row of a saga once the views have what this gateway has seen. */
  private async row(tenant_id: string, saga_id: string, positions: readonly LogPosition[]): Promise<SagaRow | undefined> {
    await this.views.current({ positions, wait_ms: SHOWN_WITHIN_MS });
    return readSagaRow(this.views.store, tenant_id, saga_id);
  }
}

const locationOf = (saga_id: string): string => `/v1/sagas/${saga_id}`;

const shown = (row: SagaRow, is_repeat: boolean): StartedSaga => ({
  ...{ saga: summaryOf(row), is_repeat, has_ended: row.end_status !== null },
  headers: { location: locationOf(row.saga_id) },
});
