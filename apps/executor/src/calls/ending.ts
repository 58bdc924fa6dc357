import type { Outcome } from '@countersign/contracts';
import type { CallEvent, ExecutionState } from '@countersign/domain';
import type { NewRecord } from '@countersign/event-log';

/** The record of a call's end, and its consequences for the row and the partition. */
export interface EndRecord {
  record: NewRecord;
  /** Undefined: the policy service decides again. */
  outcome: Outcome | undefined;
  /** The new state of its row; undefined: it has none. */
  state: ExecutionState | undefined;
  /** The last revision that it closes; Infinity: all of them. */
  revision: number;
}

type Sent = Extract<CallEvent, 'end_sent' | 'recorded_elsewhere' | 'not_owner'>;
type Written = Extract<CallEvent, 'recorded' | 'recorded_in_doubt' | 'end_not_written'>;

/** The end of a call that is being appended. */
export class Ending {
  /** Its offset once it is durable. */
  end_offset: number | undefined;
  /** Resolves when it was sent; never if its lease was lost before. */
  readonly sent: Promise<Sent>;
  /** Resolves with the result of the append. */
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
