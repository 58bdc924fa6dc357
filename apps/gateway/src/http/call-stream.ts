import { type Caller, newestFact } from '@countersign/calls';
import { type CallState, statusOf, terminalStatuses } from '@countersign/domain';
import type { StreamOut } from './event-stream.js';

/** The envelope of one state of a call, made once for all readers who may see the same of it. */
export interface StatusTexts {
  readonly state: CallState;
  of(reader: Pick<Caller, 'clearances'>): string | Promise<string>;
}

/** What one reader of a call has been told: `status` with the envelope after every fact. Ids ascend with the facts (hlc). */
export class CallStream {
  private shown = '';

  constructor(
    private readonly out: StreamOut,
    private readonly reader: Pick<Caller, 'clearances'>,
    private last_id: number,
  ) {}

  /** Tells what is new. @returns whether the call has ended: then so has the stream. */
  show(texts: StatusTexts): boolean {
    const { state } = texts;
    const { hlc } = newestFact(state);
    const status = statusOf(state);
    if (hlc > this.last_id || (hlc === this.last_id && this.shown !== '' && this.shown !== status)) {
      this.last_id = hlc;
      this.shown = status;
      this.out.write(texts.of(this.reader));
    }
    const over = terminalStatuses.has(status) && state.ruling !== null;
    if (over) this.out.end();
    return over;
  }

  /** Has no id: a stream that comes again is told where the call stands, not how it got there. */
  progressed(text: string): void {
    this.out.write(text);
  }
}
