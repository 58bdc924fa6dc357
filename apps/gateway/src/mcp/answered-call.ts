import { type AnswerSink, type CallAnswer, Refusal } from '@countersign/calls';

/** The answer of one submitted call, as a promise. */
export class AnsweredCall implements AnswerSink {
  readonly result: Promise<CallAnswer | Refusal>;
  private settle!: (answer: CallAnswer | Refusal) => void;

  /** `onAccepted` gets the id of the call, before its answer or with it. */
  constructor(private readonly onAccepted: (call_id: string) => void) {
    this.result = new Promise((settle) => {
      this.settle = settle;
    });
  }

  accepted(call_id: string): void {
    this.onAccepted(call_id);
  }

  answered(answer: CallAnswer): void {
    this.settle(answer);
  }

  refused(refusal: Refusal): void {
    this.settle(refusal);
  }

  unreadable(call_id: string): void {
    this.settle(
      new Refusal('unavailable', 'the call is recorded, its answer cannot be read at the moment: read it with get_call', {
        reason: 'answer_unreadable',
        call_id,
      }),
    );
  }
}
