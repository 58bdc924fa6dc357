import type { BatchSink, CallAnswer } from '@countersign/calls';
import { type Problem, problemDocument } from '../http/problem.js';
import type { HttpReply } from '../http/reply.js';

/** The answers of a batch as NDJSON, a line a call. */
export class BatchLines implements BatchSink {
  constructor(
    private readonly out: HttpReply['raw'],
    private readonly problemOf: (cause: unknown) => Problem,
  ) {}

  answered(index: number, { envelope }: CallAnswer): void {
    this.out.write(`{"index":${index},"call":${envelope}}\n`);
  }

  refused(index: number, problem: Problem): void {
    const document = problemDocument(problem, `/v1/calls:batch#/calls/${index}`);
    this.out.write(`{"index":${index},"problem":${JSON.stringify(document)}}\n`);
  }

  failed(index: number, cause: unknown): void {
    this.refused(index, this.problemOf(cause));
  }

  end(): void {
    this.out.end();
  }
}
