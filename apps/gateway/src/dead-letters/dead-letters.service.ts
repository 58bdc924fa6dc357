import { type Caller, Refusal } from '@countersign/calls';
import { DEFAULT_TENANT } from '@countersign/contracts';
import { cursorText, type LogPosition } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '../lists/page-query.js';
import { OperatorCommands } from '../usage/operator-commands.js';
import { type DeadLetter, DeadLetterView } from './dead-letter-view.js';
import type { DeadLetterAnswer, RequeuedLetter, RequeueRequest } from './dead-letters.schemas.js';
import { requeueRefusal } from './requeue-terms.js';
import { type Place, type Requeue, RequeueView } from './requeue-view.js';

/** The tenant of records that could not be decoded: only the installation's operators see them. */
const UNKNOWN_TENANT = '';
const COMMANDS = 'operator-command';

const cursorOf = ({ letter_offset }: DeadLetter): string => cursorText({ at: letter_offset, id: 'letter' });
const isoOf = (at_ms: number): string => new Date(at_ms).toISOString();
const requeueOf = ({ command: { by, reason }, at_ms }: Requeue) => ({
  requeued_at: isoOf(at_ms),
  by: { kind: by.kind, id: by.id },
  reason,
});

/** Dead letters of one tenant. */
@Injectable()
export class DeadLettersService {
  constructor(
    private readonly view: DeadLetterView,
    private readonly requeues: RequeueView,
    private readonly commands: OperatorCommands,
  ) {}

  async list(tenant_id: string, { limit, cursor }: PageQuery): Promise<Page<DeadLetterAnswer>> {
    const known = await this.known(tenant_id);
    await this.requeues.caughtUp();
    const rest = cursor ? known.filter(({ letter_offset }) => letter_offset < cursor.at) : known;
    const items = rest.slice(0, limit);
    const last = items.at(-1);
    return { items: items.map((letter) => this.answerOf(letter)), next_cursor: last && rest.length > limit ? cursorOf(last) : null };
  }

  /**
   * Hands a record to its consumer again, once: a second request gets the response of the first. Only consumers whose handling has no effect
   * that a second time would repeat are asked; for all others the response says what to do.
   */
  async requeue(
    { tenant_id, principal: by }: Caller,
    letter_id: string,
    { reason }: RequeueRequest,
  ): Promise<{ requeued: RequeuedLetter; at: LogPosition } | Refusal> {
    const letter = (await this.known(tenant_id)).find((one) => one.letter_id === letter_id);
    if (!letter)
      return new Refusal('not-found', 'the tenant has no such dead letter among its newest 200', { reason: 'dead_letter_not_found' });
    await this.requeues.caughtUp();
    if (this.requeues.of(letter_id)) return this.requeued(letter_id, true);
    const { consumer } = letter;
    const source = this.sourceOf(letter);
    const why = requeueRefusal(consumer, source.source_topic);
    if (why !== undefined) return new Refusal('conflict', why, { reason: 'dead_letter_not_repeatable' });
    if (!(await this.requeues.isOnLog(source)))
      return new Refusal('conflict', 'the record is no longer on the log: retention has dropped it', {
        reason: 'dead_letter_not_repeatable',
      });
    const at = await this.commands.say(tenant_id, 'dead_letter_requeued', { letter_id, consumer, ...source, reason, by });
    await this.requeues.caughtUp();
    return this.requeued(letter_id, this.requeues.of(letter_id)?.offset !== at.offset);
  }

  /** Newest first. */
  private async known(tenant_id: string): Promise<readonly DeadLetter[]> {
    const unknown = tenant_id === DEFAULT_TENANT ? await this.view.of(UNKNOWN_TENANT) : [];
    return [...(await this.view.of(tenant_id)), ...unknown].sort((one, other) => other.letter_offset - one.letter_offset);
  }

  /** The record that is handled again: where a requeue failed, that of the first dead letter. */
  private sourceOf(letter: DeadLetter): Place {
    const failed = this.failedRequeue(letter)?.command;
    const { topic, partition, offset } = letter;
    if (!failed) return { source_topic: topic, source_partition: partition, source_offset: offset };
    return { source_topic: failed.source_topic, source_partition: failed.source_partition, source_offset: failed.source_offset };
  }

  private failedRequeue({ topic, offset }: DeadLetter): Requeue | undefined {
    return topic === COMMANDS ? this.requeues.at(offset) : undefined;
  }

  private requeued(letter_id: string, repeated: boolean): { requeued: RequeuedLetter; at: LogPosition } {
    const requeue = this.requeues.of(letter_id) as Requeue;
    return { requeued: { letter_id, ...requeueOf(requeue), repeated }, at: { topic: COMMANDS, partition: 0, offset: requeue.offset } };
  }

  private answerOf(letter: DeadLetter): DeadLetterAnswer {
    const { letter_offset: _letter_offset, tenant_id: _tenant_id, dead_lettered_at_ms, ...shown } = letter;
    const requeue = this.requeues.of(letter.letter_id);
    return {
      ...shown,
      dead_lettered_at: isoOf(dead_lettered_at_ms),
      requeue: requeue ? requeueOf(requeue) : null,
      requeue_of: this.failedRequeue(letter)?.command.letter_id ?? null,
      requeue_refusal: requeueRefusal(letter.consumer, this.sourceOf(letter).source_topic) ?? null,
    };
  }
}
