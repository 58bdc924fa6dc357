import type { Caller, CallFollower, CallSnapshot, SnapshotFrame } from '@countersign/calls';
import type { Progress } from '@countersign/process';
import type { StreamOut } from '../streams/event-stream.js';

const statusEvent: SnapshotFrame = (id, envelope) => `id: ${id}\nevent: status\ndata: ${envelope}\n\n`;

/** Serializes a progress event once for all readers of a call. */
const progressEvents = new WeakMap<Progress, string>();

function progressEvent(progress: Progress): string {
  const known = progressEvents.get(progress);
  if (known !== undefined) return known;
  const { fraction, message } = progress;
  const text = `event: progress\ndata: ${JSON.stringify({ fraction, message })}\n\n`;
  progressEvents.set(progress, text);
  return text;
}

/** Streams a call to one reader as server-sent events: `status` with the envelope after every event, `progress` without an id. */
export class CallStream implements CallFollower {
  constructor(
    private readonly out: StreamOut,
    private readonly reader: Pick<Caller, 'clearances'>,
  ) {}

  status(snapshot: CallSnapshot): void {
    this.out.write(snapshot.text(this.reader, statusEvent));
  }

  progressed(progress: Progress): void {
    this.out.write(progressEvent(progress));
  }

  ended(): void {
    this.out.end();
  }
}
