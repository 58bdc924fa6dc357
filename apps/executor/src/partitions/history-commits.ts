import { laneTopic } from '@countersign/contracts';
import type { EventBatch, LogContext } from '@countersign/event-log';

/** Commits offsets of the input topics once all lower offsets are history. */
export class HistoryCommits {
  private readonly contexts = new Map<string, LogContext>();

  /** Keeps the context with which offsets of the batch's partition are committed. */
  note(batch: EventBatch, context: LogContext): void {
    this.contexts.set(`${laneTopic(batch.topic as 'policy-decided', batch.lane)}/${batch.partition}`, context);
  }

  commit(topic: string, partition: number, below: number): void {
    this.contexts.get(`${topic}/${partition}`)?.commit(below);
  }
}
