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

/** The end of a call on its way to the log. */
export class Ending {
  /** Where it stands once it is durable. */
  end_offset: number | undefined;
  /** What came of the write; never, where the lease was lost before it was made. */
  readonly written: Promise<CallEvent>;
  private resolve: (event: CallEvent) => void = () => undefined;

  constructor(readonly end: EndRecord) {
    this.written = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  recorded(end_offset: number): void {
    this.end_offset = end_offset;
    this.resolve(this.end.state === 'in_doubt' ? 'recorded_in_doubt' : 'recorded');
  }

  recordedElsewhere(): void {
    this.resolve('recorded_elsewhere');
  }
}
