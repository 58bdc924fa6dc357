import { insertSagaAnswers, type SagaAnswerWrite, type Statement } from '@countersign/store';
import { inChunks, storable } from '../projection.js';
import { type SagaEvent, sagaOf } from './saga-event.js';

function answerIn({ event_type, event }: SagaEvent): Pick<SagaAnswerWrite, 'command_id' | 'outcome' | 'message'> | undefined {
  if (event_type === 'saga_controlled') return { command_id: event.command_id, outcome: 'controlled', message: null };
  if (event_type === 'saga_request_refused') return { command_id: event.command_id, outcome: 'refused', message: event.message };
  if (event_type !== 'saga_wait_ended' || event.command_id === null) return undefined;
  return { command_id: event.command_id, outcome: 'answered', message: null };
}

/** The rows of `saga_answers`: a gateway reads them that missed a record. */
export class PendingAnswers {
  private readonly rows = new Map<string, SagaAnswerWrite>();

  fold(at: SagaEvent): void {
    const answer = answerIn(at);
    if (!answer) return;
    const { command_id, outcome, message } = answer;
    const own = sagaOf(at);
    const key = `${own.tenant_id} ${command_id}`;
    if (this.rows.has(key)) return;
    const what = { command_id: storable(command_id), outcome, message: storable(message) };
    this.rows.set(key, { ...own, ...what, source_offset: at.offset });
  }

  statements(): Statement[] {
    return inChunks([...this.rows.values()], insertSagaAnswers);
  }
}
