import { type CallState, type PlacedEvent, statusOf, terminalStatuses } from '@countersign/domain';
import type { Progress } from '@countersign/process';
import type { Caller } from '../identity/authenticator.js';
import type { CallListener } from '../waiting/call-board.js';
import { newestFact } from '../waiting/state-hlc.js';
import type { Timed } from '../waiting/timer-wheel.js';
import type { CallRoom } from './call-room.js';
import { envelopeText } from './envelope.js';
import { seenBy } from './seen-by.js';

const HEARTBEAT_MS = 15_000;
/** Pauses up to the first heartbeat. After each the view is asked: an end that came after it was first read and before the watch is only there. */
const LOOKS_MS = [100, 250, 500, 1_000, 2_000, 4_000, 7_150];

/** Where the events go. */
export interface StreamOut {
  write(text: string): void;
  end(): void;
}

/** Server-sent events of one call: `status` with the envelope after every fact, until the call has ended. Ids ascend with the facts (hlc). */
export class CallStream implements CallListener, Timed {
  private slot = -1;
  private looks = 0;
  private closed = false;
  private shown = '';

  constructor(
    private readonly room: CallRoom,
    private readonly out: StreamOut,
    private readonly call: { call_id: string; tenant_id: string; reader: Pick<Caller, 'clearances'> },
    private last_id: number,
  ) {}

  /** `known` is the call as the view has it. */
  open(known: CallState): void {
    this.look();
    this.room.board.watch(this.call.call_id, this.call.tenant_id, this);
    this.room.board.learn(known);
  }

  changed(state: CallState, _at: PlacedEvent | undefined): void {
    if (this.closed) return;
    const { hlc } = newestFact(state);
    const status = statusOf(state);
    if (hlc > this.last_id || (hlc === this.last_id && this.shown !== '' && this.shown !== status)) {
      this.last_id = hlc;
      this.shown = status;
      this.out.write(`id: ${hlc}\nevent: status\ndata: ${envelopeText(seenBy(state, this.call.reader))}\n\n`);
    }
    if (terminalStatuses.has(status) && state.ruling) this.end();
  }

  /** Has no id: a stream that comes again is told where the call stands, not how it got there. */
  progressed({ fraction, message }: Progress): void {
    if (!this.closed) this.out.write(`event: progress\ndata: ${JSON.stringify({ fraction, message })}\n\n`);
  }

  due(): void {
    this.slot = -1;
    if (this.closed) return;
    this.looks++;
    if (this.looks >= LOOKS_MS.length) this.out.write(': still here\n\n');
    this.room.refresh(this.call.tenant_id, this.call.call_id);
    this.look();
  }

  /** The reader went away, or there is nothing more to say. */
  end(): void {
    if (this.closed) return;
    this.closed = true;
    if (this.slot >= 0) this.room.wheel.remove(this, this.slot);
    this.room.board.unwatch(this.call.call_id, this);
    this.out.end();
  }

  private look(): void {
    this.slot = this.room.wheel.add(this, LOOKS_MS[this.looks] ?? HEARTBEAT_MS);
  }
}
