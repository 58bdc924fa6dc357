import type { Outcome } from '@countersign/contracts';
import type { CallEvent, ExecutionState } from '@countersign/domain';
import type { NewRecord } from '@countersign/event-log';

/** What the end of a call says to the log, to its row and to its partition. */
export interface EndRecord {
  record: NewRecord;
  /** Undefined: policy decides once more. */
  outcome: Outcome | undefined;
  /** What its row becomes; undefined: it has none. */
  state: ExecutionState | undefined;
  /** Up to which revision the call is closed by it; Infinity: for good. */
  revision: number;
}

type Sent = Extract<CallEvent, 'end_sent' | 'recorded_elsewhere' | 'not_owner'>;
type Written = Extract<CallEvent, 'recorded' | 'recorded_in_doubt' | 'end_not_written'>;

/** The end of a call on its way to the log. */
export class Ending {
  /** Where it stands once it is durable. */
  end_offset: number | undefined;
  /** Whether it was sent; never, where its lease was lost before. */
  readonly sent: Promise<Sent>;
  /** What came of it then. */
  readonly written: Promise<Written>;
  private resolveSent: (event: Sent) => void = () => undefined;
  private resolveWritten: (event: Written) => void = () => undefined;

  constructor(readonly end: EndRecord) {
    this.sent = new Promise((resolve) => {
      this.resolveSent = resolve;
    });
    this.written = new Promise((resolve) => {
      this.resolveWritten = resolve;
    });
  }

  isSent(event: Sent): void {
    this.resolveSent(event);
  }

  recorded(end_offset: number): void {
    this.end_offset = end_offset;
    this.resolveWritten(this.end.state === 'in_doubt' ? 'recorded_in_doubt' : 'recorded');
  }

  notWritten(): void {
    this.resolveWritten('end_not_written');
  }
}
