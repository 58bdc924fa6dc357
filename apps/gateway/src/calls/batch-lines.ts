import type { BatchSink, CallAnswer } from '@countersign/calls';
import { type Problem, problemDocument } from '../http/problem.js';
import type { HttpReply } from '../http/reply.js';

/** `completion`: a line is written when its call ends. `index`: in request order; a line waits for those before it. */
export type LineOrder = 'completion' | 'index';

/** The answers of a batch as NDJSON, one line per call. */
export class BatchLines implements BatchSink {
  private readonly held = new Map<number, string>();
  private next = 0;

  constructor(
    private readonly out: HttpReply['raw'],
    private readonly problemOf: (cause: unknown) => Problem,
    private readonly order: LineOrder,
  ) {}

  answered(index: number, { envelope }: CallAnswer): void {
    this.write(index, `{"index":${index},"call":${envelope}}\n`);
  }

  refused(index: number, problem: Problem): void {
    const document = problemDocument(problem, `/v1/calls:batch#/calls/${index}`);
    this.write(index, `{"index":${index},"problem":${JSON.stringify(document)}}\n`);
  }

  failed(index: number, cause: unknown): void {
    this.refused(index, this.problemOf(cause));
  }

  end(): void {
    this.out.end();
  }

  private write(index: number, line: string): void {
    if (this.order === 'completion') {
      this.out.write(line);
      return;
    }
    this.held.set(index, line);
    for (let ready = this.held.get(this.next); ready !== undefined; ready = this.held.get(this.next)) {
      this.out.write(ready);
      this.held.delete(this.next++);
    }
  }
}
