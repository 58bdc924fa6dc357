import type { RulingState } from '@countersign/domain';
import { isAnswerGone, isStricter, revisionOf, type ToRule } from './decide-record.js';
import { holdersOf } from './in-flight.js';
import type { Question } from './question.js';

/** The question of a record that needs a ruling. `config_offset`, for a rejudged call: the offset that its executor had read. */
export function questionOf(state: RulingState, event: ToRule): Question {
  const { meta, call } = event.event;
  const call_id = meta.call_id as string;
  return {
    call_id,
    revision: revisionOf(event),
    at_ms: event.timestamp_ms,
    tenant_id: meta.tenant_id,
    call,
    ...(event.event_type === 'tool_call_rejudged' ? { config_offset: event.event.config_offset } : {}),
    at_execution: isStricter(event),
    answer_gone: isAnswerGone(event),
    ...holdersOf(state, call_id, call),
  };
}
