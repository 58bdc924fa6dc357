import { parseCallId, producerTopics } from '@countersign/contracts';
import type { CallState } from '@countersign/domain';
import type { EventLog, LogRecord, NewRecord } from '@countersign/event-log';
import { type Problem, problemDocument } from '../http/problem.js';
import { positionOf, shortKeyOf } from './produced-commands.js';

/** The answer to a call of a producer. */
export interface ProducerAnswer {
  producer_id: string;
  state: Pick<CallState, 'call_id' | 'call'>;
  /** As the producer may see the call. */
  envelope: string;
}

/** The refusal of a record of a producer. */
export interface ProducerRefusal {
  producer_id: string;
  record: LogRecord;
  problem: Problem;
}

/** Writes to `tool-call-answered.to.<producer>`. At least once: readers compare `call_id` and `status`, or the position of the request. */
export class AnswerTopic {
  constructor(private readonly log: Pick<EventLog, 'append' | 'partitions'>) {}

  /** @throws InfrastructureFault if the log is unavailable */
  async write(answers: readonly ProducerAnswer[], refusals: readonly ProducerRefusal[] = []): Promise<void> {
    const records = [...answers.map((answer) => this.answer(answer)), ...refusals.map((refusal) => this.refusal(refusal))];
    if (records.length > 0) await this.log.append(records);
  }

  private answer({ producer_id, state: { call_id, call }, envelope }: ProducerAnswer): NewRecord {
    const answer = this.record(producer_id, 'tool_call_answered', parseCallId(call_id)?.partition ?? 0, call_id, envelope);
    const { request_id } = call?.context ?? {};
    return request_id == null ? answer : { ...answer, headers: { ...answer.headers, request_id } };
  }

  /** A problem document, with the place of the record that was refused. */
  private refusal({ producer_id, record, problem }: ProducerRefusal): NewRecord {
    const { topic, partition, offset } = record;
    const document = { ...problemDocument(problem, positionOf(record)), request: { topic, partition, offset } };
    return this.record(producer_id, 'tool_call_refused', partition, shortKeyOf(record), JSON.stringify(document));
  }

  private record(producer_id: string, event_type: string, partition: number, key: string | null, text: string): NewRecord {
    const topic = producerTopics(producer_id).answers;
    const headers = { event_type, 'content-type': 'application/json' };
    return { topic, partition: partition % this.log.partitions(topic), key, value: Buffer.from(text), headers };
  }
}
