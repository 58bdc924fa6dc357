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

/** The state of a submitted call at the end of its caller's wait. */
export interface Settled {
  /** The call ended or is in doubt; false: it waits for a person, or the wait is over. */
  ended: boolean;
  state: CallState;
  /** Log positions of the records that the answer contains. */
  positions: readonly LogPosition[];
  /** The request was already recorded before it was submitted. */
  repeat: boolean;
}

/** The answer to a submitted call. */
export interface CallAnswer extends Settled {
  /** JSON text as the caller may see it, with personal data decrypted. */
  envelope: string;
  deprecation: Deprecation | undefined;
}

interface AcceptedSink {
  /** The request is accepted under this id. Called at most once; the answer may come first. */
  accepted?(call_id: string): void;
}

/** Receives the answer to a submitted call. Exactly one of `answered`, `refused` and `unreadable` is called, once. */
export interface AnswerSink extends AcceptedSink {
  answered(answer: CallAnswer): void;
  refused(refusal: Refusal): void;
  /** The call is recorded and has an answer, but the answer cannot be read now. */
  unreadable(call_id: string, cause: unknown): void;
}

/** Receives the state of a submitted call, whatever its caller may see of it: no envelope is built. One of `settled` and `refused` is called, once. */
export interface StateSink extends AcceptedSink {
  settled(state: CallState): void;
  refused(refusal: Refusal): void;
}

/** The receiver of what becomes of a submitted call. */
export type CallSink = AnswerSink | StateSink;

/** The caller of the answer, and facts that the answer adds to the record. */
export interface AnswerTerms {
  caller: Pick<Caller, 'clearances'>;
  /** Set if the version of the tool is deprecated. */
  deprecation: Deprecation | undefined;
}

const keyReused = (call_id: string): Refusal =>
  new Refusal('key-reused', 'this Idempotency-Key was used with other discriminating inputs', { call_id });

const beingUndone = (call_id: string): Refusal =>
  new Refusal('being-undone', 'the effect of an equal call is being undone: send a new request when the undo has ended', {
    call_id,
  });

/** Builds the envelope of an answer: synchronously, unless an effect must be read or personal data decrypted first. */
export class AnswerWriter {
  constructor(
    private readonly readable: Readable,
    readonly effects: EffectReader,
  ) {}

  write(settled: Settled, terms: AnswerTerms, sink: CallSink): void {
    const { state, repeat } = settled;
    if (isKeyReuse(state)) sink.refused(keyReused(state.call_id));
    else if (isBeingUndone(state)) sink.refused(beingUndone(state.call_id));
    else if ('settled' in sink) sink.settled(state);
    else if (needsEffect(state, repeat)) this.writeWithEffect(settled, terms, sink);
    else this.send(settled, state, terms, sink);
  }

  /** Policy does not decide on a repeat, so the answer withholds what the caller may no longer see, as reads do. */
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
    if (typeof text === 'string') sink.answered({ ended, state, positions, repeat, envelope: text, deprecation });
    else
      void text.then(
        (envelope) => sink.answered({ ended, state, positions, repeat, envelope, deprecation }),
        (cause) => sink.unreadable(state.call_id, cause),
      );
  }
}
