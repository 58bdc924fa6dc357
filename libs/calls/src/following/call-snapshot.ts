import type { CallState } from '@countersign/domain';
import type { Caller } from '../caller.js';
import { envelopeText } from '../envelope/envelope.js';
import { seenBy } from '../envelope/seen-by.js';
import type { Readable } from '../personal/readable.js';
import { newestFact } from '../waiting/state-hlc.js';

/** How a way in writes one status. One function for each way in: its text is kept by it. */
export type SnapshotFrame = (id: number, envelope: string) => string;

/** One state of a call for all who follow it. */
export class CallSnapshot {
  /** Ascends with the facts of the call (hlc). */
  readonly id: number;
  private readonly made = new Map<SnapshotFrame, Map<string, string | Promise<string>>>();

  constructor(
    readonly state: CallState,
    private readonly readable: Pick<Readable, 'text'>,
  ) {
    this.id = newestFact(state).hlc;
  }

  /** The envelope in its frame, personal data opened: made once for all readers who may see the same of it. */
  text(reader: Pick<Caller, 'clearances'>, frame: SnapshotFrame): string | Promise<string> {
    const framed = this.made.get(frame) ?? new Map<string, string | Promise<string>>();
    if (framed.size === 0) this.made.set(frame, framed);
    const cleared = JSON.stringify(reader.clearances);
    const known = framed.get(cleared);
    if (known !== undefined) return known;
    const text = this.readable.text(this.state.tenant_id, frame(this.id, envelopeText(seenBy(this.state, reader))));
    // A reader that left in the meantime does not wait for it.
    if (typeof text !== 'string') text.catch(() => undefined);
    framed.set(cleared, text);
    return text;
  }
}
