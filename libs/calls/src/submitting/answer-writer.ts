import type { CallState } from '@countersign/domain';
import type { LogPosition } from '@countersign/store';
import type { Caller } from '../caller.js';
import type { AnswerNotes, EffectStanding } from '../envelope/deduplication.js';
import { type EffectReader, needsEffect } from '../envelope/effect-reader.js';
import { envelopeText, isBeingUndone, isKeyReuse } from '../envelope/envelope.js';
import { type SeenCall, seenBy } from '../envelope/seen-by.js';
import type { Readable } from '../personal/readable.js';
import { Refusal } from '../refusal.js';
import type { Deprecation } from '../request/admitted-call.js';

/** What became of a submitted call in the time that its caller waits. */
export interface Settled {
  /** The call ended, or is in doubt; false: it waits for a person, or the wait is over. */
  ended: boolean;
  state: CallState;
  /** Of the records that the answer is made of. */
  positions: readonly LogPosition[];
  /** The request was on the record before it was submitted. */
  repeat: boolean;
}

/** The answer to a submitted call. */
export interface CallAnswer extends Omit<Settled, 'repeat'> {
  /** JSON text as its caller may see it, personal data opened. */
  envelope: string;
  deprecation: Deprecation | undefined;
}

/** Where the answer to a submitted call goes. One of the three is called, once. */
export interface AnswerSink {
  answered(answer: CallAnswer): void;
  refused(refusal: Refusal): void;
  /** It is on the record and has an answer, which cannot be read just now. */
  unreadable(call_id: string, cause: unknown): void;
}

/** The receiver of the answer, and what the answer adds to the record. */
export interface AnswerTerms {
  caller: Pick<Caller, 'clearances'>;
  /** Of the called version, where it is deprecated. */
  deprecation: Deprecation | undefined;
}

const keyReused = (call_id: string): Refusal =>
  new Refusal('key-reused', 'this Idempotency-Key was used with other discriminating inputs', { call_id });

const beingUndone = (call_id: string): Refusal =>
  new Refusal('being-undone', 'the effect of an equal call is being undone: send a new request when the undo has ended', {
    call_id,
  });

/** Makes the envelope of an answer: at once, unless an effect must be read or personal data opened first. */
export class AnswerWriter {
  constructor(
    private readonly readable: Readable,
    readonly effects: EffectReader,
  ) {}

  write(settled: Settled, terms: AnswerTerms, sink: AnswerSink): void {
    const { state, repeat } = settled;
    if (isKeyReuse(state)) sink.refused(keyReused(state.call_id));
    else if (isBeingUndone(state)) sink.refused(beingUndone(state.call_id));
    else if (needsEffect(state, repeat)) this.writeWithEffect(settled, terms, sink);
    else this.send(settled, state, terms, sink);
  }

  /** Policy does not decide on a repeat: what the caller may no longer see is withheld, as in reads. */
  private writeWithEffect(settled: Settled, terms: AnswerTerms, sink: AnswerSink): void {
    const { state, repeat } = settled;
    const seen = repeat ? seenBy(state, terms.caller) : state;
    void this.effects.of(state).then(
      (effect) => this.send(settled, seen, terms, sink, effect),
      (cause) => sink.unreadable(state.call_id, cause),
    );
  }

  private send(settled: Settled, seen: SeenCall, terms: AnswerTerms, sink: AnswerSink, effect?: EffectStanding): void {
    const { ended, state, positions, repeat } = settled;
    const { deprecation } = terms;
    const notes: AnswerNotes = { repeat, effect, ...(deprecation ? { warnings: [deprecation.warning] } : {}) };
    const text = this.readable.text(state.tenant_id, envelopeText(seen, notes));
    if (typeof text === 'string') sink.answered({ ended, state, positions, envelope: text, deprecation });
    else
      void text.then(
        (envelope) => sink.answered({ ended, state, positions, envelope, deprecation }),
        (cause) => sink.unreadable(state.call_id, cause),
      );
  }
}
