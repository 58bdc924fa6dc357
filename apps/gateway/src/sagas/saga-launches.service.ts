import { type Caller, CallSealer, Refusal, Views } from '@countersign/calls';
import type { Tenant } from '@countersign/domain';
import { type LogPosition, readSagaRow, type SagaRow } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { positionText } from '../positions/positions.js';
import { OPEN_SAGAS_MAX, OpenSagaCounts } from './open-saga-counts.service.js';
import { ANSWER_WITHIN_MS, positionOf, SHOWN_WITHIN_MS, type StartAnswer } from './saga-answers.service.js';
import { SagaExchanges } from './saga-exchanges.service.js';
import type { SagaIdentity } from './saga-identity.js';
import { refusedByRecord } from './saga-refusals.js';
import type { CheckedSagaRequest } from './saga-request-checks.service.js';
import type { StartedSaga } from './saga-start.js';
import { recordedSummary, summaryOf } from './saga-summary.js';

interface LaunchBy {
  caller: Caller;
  wait_ms: number;
  subjects: readonly string[];
}

const tooMany = (): Refusal =>
  new Refusal('too-many-sagas', `the tenant has ${OPEN_SAGAS_MAX} sagas that have not ended, which is its cap`);
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
  constructor(
    private readonly exchanges: SagaExchanges,
    private readonly views: Views,
    private readonly sealer: CallSealer,
    private readonly open: OpenSagaCounts,
  ) {}

  /** Answers a repeated request with its saga, or refuses another request with its id; undefined if the views show no such saga. */
  async repeated(identity: SagaIdentity, by: Pick<LaunchBy, 'caller' | 'wait_ms'>): Promise<StartedSaga | Refusal | undefined> {
    if (identity.chosen_by === 'none') return undefined;
    const row = await readSagaRow(this.views.store, by.caller.tenant_id, identity.saga_id);
    return row && this.known(identity, row, by);
  }

  async launch(tenant: Tenant, identity: SagaIdentity, fields: CheckedSagaRequest, by: LaunchBy): Promise<StartedSaga | Refusal> {
    const { tenant_id } = tenant;
    if (await this.open.isFull(tenant_id)) return tooMany();
    const sealed = await this.sealed(tenant_id, fields, by.subjects);
    return sealed instanceof Refusal ? sealed : this.request(tenant, identity, sealed, by);
  }

  /** Records a request whose texts are sealed and whose bounds are checked. */
  async request(
    tenant: Tenant,
    identity: SagaIdentity,
    sealed: CheckedSagaRequest,
    by: Pick<LaunchBy, 'caller' | 'wait_ms'>,
  ): Promise<StartedSaga | Refusal> {
    this.open.add(tenant.tenant_id);
    return this.answered(identity, await this.exchanges.start(tenant, sealed, by.wait_ms), by);
  }

  /** Inputs about data subjects are sealed under their keys. A definition is not: it may hold no personal data. */
  private async sealed(tenant_id: string, fields: CheckedSagaRequest, subjects: readonly string[]): Promise<CheckedSagaRequest | Refusal> {
    const { inputs_json, definition_json } = fields;
    const forged = this.sealer.forged(tenant_id, `${inputs_json}\n${definition_json ?? ''}`);
    if (forged || subjects.length === 0) return forged ?? fields;
    const sealed = await this.sealer.jsonAbout(tenant_id, subjects, inputs_json);
    return sealed instanceof Refusal ? sealed : { ...fields, inputs_json: sealed as string };
  }

  private async answered(
    identity: SagaIdentity,
    answer: StartAnswer | undefined,
    by: Pick<LaunchBy, 'caller' | 'wait_ms'>,
  ): Promise<StartedSaga | Refusal> {
    const { saga_id, request_digest } = identity;
    const { tenant_id } = by.caller;
    if (!answer) return pending(saga_id);
    if (answer.kind === 'known') return this.known(identity, answer.row, by);
    if (answer.kind === 'refused') {
      const row = identity.chosen_by === 'none' ? undefined : await this.row(tenant_id, saga_id, answer.at ? [answer.at] : []);
      return row ? this.known(identity, row, by) : refusedByRecord(answer.message);
    }
    if (answer.at.event.request_digest !== request_digest) return taken(identity);
    return this.started(identity, answer, by);
  }

  /** A saga whose end was seen, or was not waited for, is answered from its records: the views may be behind them. */
  private async started(
    { saga_id }: SagaIdentity,
    { at, end }: Extract<StartAnswer, { kind: 'started' }>,
    by: Pick<LaunchBy, 'caller' | 'wait_ms'>,
  ): Promise<StartedSaga> {
    const position = positionOf(end ?? at);
    const headers = { location: locationOf(saga_id), 'countersign-position': positionText(position) };
    const row = end || by.wait_ms === 0 ? undefined : await this.row(by.caller.tenant_id, saga_id, [position]);
    if (row) return { ...shown(row, false), headers };
    return { saga: recordedSummary(at.event, end?.event), is_repeat: false, has_ended: end !== undefined, headers };
  }

  private async known(identity: SagaIdentity, row: SagaRow, by: Pick<LaunchBy, 'caller' | 'wait_ms'>): Promise<StartedSaga | Refusal> {
    const { tenant_id, saga_id, request_digest, end_status } = row;
    if (request_digest !== identity.request_digest) return taken(identity);
    if (end_status !== null) return shown(row, true);
    if (by.wait_ms > 0) await this.exchanges.ended(tenant_id, saga_id, by.wait_ms);
    return shown((await this.row(tenant_id, saga_id, [])) ?? row, true);
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
