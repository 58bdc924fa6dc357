import { type Caller, Refusal, type Seen, Views, viewsBehind } from '@countersign/calls';
import type { SagaAct } from '@countersign/contracts';
import { type Tenant, tenantOf } from '@countersign/domain';
import { readSagaRow, readSagaWait, type SagaRow } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import type { WithHeaders } from '../answers/with-headers.js';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { positionText } from '../positions/positions.js';
import { ANSWER_WITHIN_MS, type SagaAnswer, SHOWN_WITHIN_MS } from './saga-answers.service.js';
import { SagaExchanges } from './saga-exchanges.service.js';
import { refusedByRecord } from './saga-refusals.js';
import type { SagaControl, WaitAnswer } from './saga-request.schemas.js';
import { refusalOfAct, refusalOfAnswer } from './saga-rights.js';
import { summaryOf } from './saga-summary.js';
import { SagaTexts } from './saga-texts.service.js';
import type { SagaSummary } from './sagas.schemas.js';
import { sagaNotFound } from './sagas.service.js';

/** Who requests something of which saga. */
export interface SagaCommandBy {
  caller: Caller;
  saga_id: string;
  seen: Seen;
}

type Answered = WithHeaders<SagaSummary> | Refusal;

const pending = (): Refusal =>
  new Refusal('unavailable', `the request is on the record and was not decided within ${ANSWER_WITHIN_MS / 1000} s: read the saga`, {
    reason: 'saga_request_pending',
  });

/** Records what people and systems want of a saga, and waits for the decision. */
@Injectable()
export class SagaCommands {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly exchanges: SagaExchanges,
    private readonly views: Views,
    private readonly texts: SagaTexts,
  ) {}

  async control(by: SagaCommandBy, act: SagaAct, body: SagaControl): Promise<Answered> {
    const saga = await this.saga(by);
    if (saga instanceof Refusal) return saga;
    const denied = refusalOfAct(act, saga, by.caller);
    if (denied) return denied;
    const reason = await this.texts.reason(by.caller.tenant_id, body.subjects, body.reason);
    if (reason instanceof Refusal) return reason;
    const what = { saga_id: saga.saga_id, act, step_id: body.step_id ?? null, reason, by: by.caller.principal };
    return this.decided(saga, (tenant) => this.exchanges.decided(tenant, 'saga_control_requested', what));
  }

  async answerWait(by: SagaCommandBy, step_id: string, body: WaitAnswer): Promise<Answered> {
    const saga = await this.saga(by);
    if (saga instanceof Refusal) return saga;
    const faulty = await this.waitFault(saga, step_id, by.caller);
    if (faulty) return faulty;
    const { tenant_id, principal } = by.caller;
    const answer_json = await this.texts.answer(saga, step_id, body);
    if (answer_json instanceof Refusal) return answer_json;
    const reason = await this.texts.reason(tenant_id, body.subjects, body.reason);
    if (reason instanceof Refusal) return reason;
    const what = { saga_id: saga.saga_id, step_id, is_refused: body.outcome === 'refused', answer_json, reason };
    return this.decided(saga, (tenant) => this.exchanges.decided(tenant, 'saga_answer_requested', { ...what, by: principal }));
  }

  private async saga({ caller: { tenant_id }, saga_id, seen }: SagaCommandBy): Promise<SagaRow | Refusal> {
    const is_current = await this.views.current(seen);
    return (await readSagaRow(this.views.store, tenant_id, saga_id)) ?? (is_current ? sagaNotFound() : viewsBehind());
  }

  private async waitFault(saga: SagaRow, step_id: string, caller: Caller): Promise<Refusal | undefined> {
    const wait = await readSagaWait(this.views.store, saga.tenant_id, saga.saga_id, step_id);
    if (!wait) return new Refusal('not-found', 'the saga has no wait of this step', { reason: 'saga_wait_not_found' });
    const denied = refusalOfAnswer(this.configuration.state, wait.wait, saga, caller);
    if (denied) return denied;
    if (wait.ended_as === null) return undefined;
    return new Refusal('conflict', `the wait has ended: ${wait.ended_as}`, { reason: 'saga_wait_ended', ended_as: wait.ended_as });
  }

  private async decided({ tenant_id, saga_id }: SagaRow, exchange: (tenant: Tenant) => Promise<SagaAnswer | undefined>): Promise<Answered> {
    const tenant = tenantOf(this.configuration.state, tenant_id);
    if (!tenant) return sagaNotFound();
    const answer = await exchange(tenant);
    if (!answer) return pending();
    if (answer.kind === 'refused') return refusedByRecord(answer.message);
    await this.views.current({ positions: answer.at ? [answer.at] : [], wait_ms: SHOWN_WITHIN_MS });
    const row = await readSagaRow(this.views.store, tenant_id, saga_id);
    const headers: Record<string, string> = answer.at ? { 'countersign-position': positionText(answer.at) } : {};
    return row ? { body: summaryOf(row), headers } : sagaNotFound();
  }
}
