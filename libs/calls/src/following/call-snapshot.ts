import { type CallState, newestFact } from '@countersign/domain';
import type { Caller } from '../caller.js';
import { envelopeText } from '../envelope/envelope.js';
import { seenBy } from '../envelope/seen-by.js';
import type { Readable } from '../personal/readable.js';

/** How a transport formats one status. Use one function per transport: its text is cached by it. */
export type SnapshotFrame = (id: number, envelope: string) => string;

/** One state of a call, shared by all its followers. */
export class CallSnapshot {
  /** Grows with each new fact of the call (hlc). */
  readonly id: number;
  private readonly made = new Map<SnapshotFrame, Map<string, string | Promise<string>>>();

  constructor(
    readonly state: CallState,
    private readonly readable: Pick<Readable, 'text'>,
  ) {
    this.id = newestFact(state).hlc;
  }

  /** The framed envelope with decrypted personal data: made once for all readers with the same clearances. */
  text(reader: Pick<Caller, 'clearances'>, frame: SnapshotFrame): string | Promise<string> {
    const framed = this.made.get(frame) ?? new Map<string, string | Promise<string>>();
    if (framed.size === 0) this.made.set(frame, framed);
    const cleared = JSON.stringify(reader.clearances);
    const known = framed.get(cleared);
    if (known !== undefined) return known;
    const text = this.readable.text(this.state.tenant_id, frame(this.id, envelopeText(seenBy(this.state, reader))));
    // A reader that unsubscribed in the meantime does not wait for it.
    if (typeof text !== 'string') text.catch(() => undefined);
    framed.set(cleared, text);
    return text;
  }
}
