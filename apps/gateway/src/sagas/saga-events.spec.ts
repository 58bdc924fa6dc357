import type { Caller, Readable, Seen, Views } from '@countersign/calls';
import type { EventLog, Follower, LogBatch } from '@countersign/event-log';
import type { BatchDecoder } from '@countersign/event-log/transport/batch-decoder';
import type { Statement } from '@countersign/store';
import { expect, test } from 'vitest';
import type { HttpReply, HttpRequest } from '../http/reply.js';
import type { OpenStreams } from '../streams/open-streams.js';
import { SagaEventsController } from './saga-events.controller.js';
import { SagaWatches } from './saga-watches.js';

const caller = { tenant_id: 'acme' } as Caller;
const SEEN: Seen = { positions: [], wait_ms: 0 };
const at = (offset: number) => ({ topic: 'compensation', partition: 1, offset, key: 'another saga', headers: {} });
const batch = (offset: number) => ({ topic: 'compensation', partition: 1, records: [at(offset)] }) as unknown as LogBatch;

/** A gateway whose views show the end of a saga (offset 6) only to those who wait for it. */
class LaggingViews {
  readonly written: string[] = [];
  private ended = false;
  private follower: Follower | undefined;
  private readonly controller: SagaEventsController;
  private readonly watches: SagaWatches;

  constructor(
    head: number,
    private readonly catches_up = true,
  ) {
    const follow = async (follower: Follower) => {
      this.follower = follower;
      return { caughtUp: async () => undefined };
    };
    const log = { follow, partitions: () => 2, head: async () => head, first: async () => 0 } as unknown as EventLog;
    this.watches = new SagaWatches(log, {} as BatchDecoder);
    const query = async ({ name }: Statement) => (name === 'views_read_saga' ? [this.row()] : []);
    const current = async ({ positions }: Seen) => this.reaches(positions.some(({ partition, offset }) => partition === 1 && offset >= 6));
    const views = { store: { query }, current } as unknown as Views;
    const out = { whenLeft: () => undefined, write: (text: string) => this.written.push(text), end: () => this.written.push('end') };
    const streams = { open: () => ({ ...out, close: (reason: string) => this.written.push(reason) }) } as unknown as OpenStreams;
    const readable = { text: (_tenant: string, text: string) => text } as unknown as Readable;
    this.controller = new SagaEventsController(views, streams, this.watches, readable);
  }

  private reaches(isWanted: boolean): boolean {
    this.ended ||= isWanted && this.catches_up;
    return !isWanted || this.ended;
  }

  private row(): object {
    const nothing = { questions: null, answer_schemas: null, started_by: null, error: null, deadline_at_ms: null, paused_offset: null };
    const now = this.ended ? { status: 'completed', ended_at_ms: 7 } : { status: 'running', ended_at_ms: null };
    return { saga_id: 'trip', source_partition: 1, source_offset: 3, started_at_ms: 1, ...nothing, ...now };
  }

  async opened(taken: readonly number[] = []): Promise<string[]> {
    await this.watches.start(['shared']);
    for (const offset of taken) await this.follower?.onBatch(batch(offset));
    await this.controller.events(caller, 'trip', SEEN, { headers: {} } as HttpRequest, {} as HttpReply);
    return this.written;
  }
}

test.each([
  ['was taken just before the watch', 0, [5, 6]],
  ['was on the log when the gateway started', 7, []],
])('a stream shows a record that %s, and that the views have later', async (_name, head, taken) => {
  const [event, end] = await new LaggingViews(head).opened(taken);
  expect([event, end]).toEqual([expect.stringContaining('"status":"completed"'), 'end']);
});

test('it is closed if the views do not show the record in time', async () => {
  expect(await new LaggingViews(0, false).opened([6])).toEqual(['unavailable']);
});
