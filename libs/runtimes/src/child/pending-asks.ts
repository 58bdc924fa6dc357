import type { ToolJob } from '../runtime.js';
import { contextAnswer } from './context-answers.js';
import type { FromChild, ToChild } from './protocol.js';
import { reportedError, thrownHere } from './reported-error.js';
import { UnsentAnswer } from './unsent-answer.js';

interface Pending {
  job: ToolJob;
  resolve(value: unknown): void;
  reject(thrown: Error): void;
  /** Whether the abort was sent to the child. */
  aborted: boolean;
  onAbort(): void;
}

type AnswerMessage = Extract<FromChild, { kind: 'answer' }>;
type ContextMessage = Extract<FromChild, { kind: 'context' }>;

/** The requests that were sent to a child and are pending. */
export class PendingAsks {
  private readonly asks = new Map<number, Pending>();
  private last_id = 0;
  /** A tool was given a secret: the child's output may contain it. */
  has_secrets = false;

  constructor(private readonly send: (message: ToChild) => void) {}

  /** No request is pending except aborted ones. */
  get idle(): boolean {
    for (const { aborted } of this.asks.values()) if (!aborted) return false;
    return true;
  }

  /** @param hand sends the request under its id. @param onAborted is called when the abort was sent to the child. */
  add(job: ToolJob, hand: (id: number) => void, onAborted: () => void): Promise<unknown> {
    const id = ++this.last_id;
    const { signal } = job.context;
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        pending.aborted = true;
        this.send({ kind: 'abort', id, reason: (signal.reason as Error | undefined)?.message ?? 'aborted' });
        onAborted();
      };
      const pending: Pending = { job, resolve, reject, aborted: false, onAbort };
      this.asks.set(id, pending);
      signal.addEventListener('abort', onAbort, { once: true });
      hand(id);
    });
  }

  answered({ id, value, unsent, thrown }: AnswerMessage): void {
    const pending = this.remove(id);
    if (thrown) pending?.reject(thrownHere(thrown));
    else pending?.resolve(unsent ? new UnsentAnswer(unsent.why, unsent.message, unsent.small_json) : value);
  }

  /** Handles a tool's request to its context. Never rejects. */
  async context({ id, question, asked }: ContextMessage): Promise<void> {
    const context = this.asks.get(id)?.job.context;
    try {
      if (!context) throw new Error('the run is over');
      const value = await contextAnswer(context, asked);
      if (asked.of === 'secret') this.has_secrets = true;
      this.send({ kind: 'context_answer', id, question, value });
    } catch (thrown) {
      this.send({ kind: 'context_answer', id, question, thrown: reportedError(thrown) });
    }
  }

  /** Passes on logs and progress of a run; ignored once the run is over. */
  report(message: Extract<FromChild, { kind: 'log' | 'progress' }>): void {
    const context = this.asks.get(message.id)?.job.context;
    if (message.kind === 'log') context?.log(String(message.message), Object(message.fields) as Record<string, unknown>);
    else context?.progress(Number(message.fraction), String(message.message));
  }

  /** Rejects all requests, because no more responses will arrive. */
  rejectAll(thrown: () => Error): void {
    for (const id of [...this.asks.keys()]) this.remove(id)?.reject(thrown());
  }

  private remove(id: number): Pending | undefined {
    const pending = this.asks.get(id);
    pending?.job.context.signal.removeEventListener('abort', pending.onAbort);
    this.asks.delete(id);
    return pending;
  }
}
