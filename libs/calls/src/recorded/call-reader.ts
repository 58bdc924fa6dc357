import type { CallState } from '@countersign/domain';
import type { Caller } from '../caller.js';
import type { AnswerNotes } from '../envelope/deduplication.js';
import type { EffectReader } from '../envelope/effect-reader.js';
import { envelopeText } from '../envelope/envelope.js';
import { seenBy } from '../envelope/seen-by.js';
import type { Readable } from '../personal/readable.js';

/** A call as one reader may see it now. */
export interface CallReading {
  state: CallState;
  /** JSON text with personal data decrypted. */
  envelope: string;
  /** The envelope contains decrypted data, which may be erased later: it must not be cached. */
  was_sealed: boolean;
}

/** Builds the envelopes of recorded calls. */
export class CallReader {
  constructor(
    private readonly readable: Pick<Readable, 'text'>,
    private readonly effects: EffectReader,
  ) {}

  /** The call, with the current state of its effect. */
  async status(state: CallState, reader: Pick<Caller, 'clearances'>): Promise<CallReading> {
    return this.read(state, reader, { effect: await this.effects.of(state) });
  }

  async read(state: CallState, reader: Pick<Caller, 'clearances'>, notes: AnswerNotes = {}): Promise<CallReading> {
    const text = envelopeText(seenBy(state, reader), notes);
    const envelope = await this.readable.text(state.tenant_id, text);
    return { state, envelope, was_sealed: envelope !== text };
  }
}
