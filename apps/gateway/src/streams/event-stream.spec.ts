import type { Caller } from '@countersign/calls';
import { describe, expect, test } from 'vitest';
import { BUFFERED_BYTES_MAX, type CloseReason, EventStream } from './event-stream.js';

/** A connection whose reader consumes on command. */
class Connection {
  writableLength = 0;
  readonly socket = { bytesWritten: 0 };
  readonly written: string[] = [];
  destroyed = false;
  private onDrain: (() => void) | undefined;

  write(text: string): void {
    this.written.push(text);
    this.writableLength += text.length;
    this.socket.bytesWritten += text.length;
  }
  end(text = ''): void {
    if (text !== '') this.write(text);
    this.written.push('END');
  }
  destroy(): void {
    this.destroyed = true;
  }
  once(_event: 'drain', listener: () => void): void {
    this.onDrain = listener;
  }
  takes(bytes = this.writableLength): void {
    this.writableLength -= bytes;
    if (this.writableLength === 0) this.onDrain?.();
  }
}

function streamed() {
  const raw = new Connection();
  const closed: CloseReason[] = [];
  const stream = new EventStream(raw, {} as Caller, 0, (reason) => closed.push(reason));
  let left = 0;
  stream.whenLeft(() => left++);
  return { raw, stream, closed, left: () => left };
}

const turns = () => new Promise((resolve) => setImmediate(resolve));
const FULL = 'x'.repeat(BUFFERED_BYTES_MAX + 1);

describe('an event stream', () => {
  test('keeps the order of its events while some of them are still being decrypted', async () => {
    const { raw, stream } = streamed();
    stream.write('a');
    stream.write(turns().then(() => 'b'));
    stream.write('c');
    stream.end();
    expect(raw.written).toEqual(['a']);
    await turns();
    await turns();
    expect(raw.written).toEqual(['a', 'b', 'c', 'END']);
  });

  test('is closed with a reason if its events cannot be decrypted', async () => {
    const { raw, stream, closed } = streamed();
    stream.write(Promise.reject(new Error('away')));
    await turns();
    expect([closed, raw.written.at(-1), raw.written.at(-2)]).toEqual([
      ['unavailable'],
      'END',
      expect.stringContaining('"reason":"unavailable"'),
    ]);
  });

  test('a reader that leaves too much unread is dropped with a reason, and no further data is buffered for it', () => {
    const { raw, stream, closed, left } = streamed();
    stream.write(FULL);
    expect(closed).toEqual([]);
    const held = raw.writableLength;
    for (let event = 0; event < 100; event++) stream.write(FULL);
    expect([closed, left(), raw.written.at(-1)]).toEqual([['slow_consumer'], 1, 'END']);
    expect(raw.written.at(-2)).toMatch(/^event: closed\ndata: {"reason":"slow_consumer",/);
    expect(raw.writableLength - held).toBeLessThan(300);
  });

  test('a long history is paced to its reader, until there is capacity or the stream is over', async () => {
    const { raw, stream } = streamed();
    expect(stream.waitForCapacity()).toBe(true);
    stream.write(FULL);
    const waitForCapacity = stream.waitForCapacity();
    raw.takes();
    expect(await waitForCapacity).toBe(true);
    stream.write(FULL);
    const never = stream.waitForCapacity();
    stream.disconnected();
    expect([await never, stream.waitForCapacity()]).toEqual([false, false]);
  });

  test('a reader that reads nothing between two heartbeats is dropped, and disconnected if it reads not even that', () => {
    const { raw, stream, closed } = streamed();
    stream.beat();
    raw.takes(1);
    stream.beat();
    raw.takes(1);
    stream.beat();
    expect(closed).toEqual([]);
    stream.beat();
    expect([closed, raw.destroyed]).toEqual([['slow_consumer'], false]);
    raw.takes(1);
    stream.beat();
    expect(raw.destroyed).toBe(false);
    stream.beat();
    expect([closed, raw.destroyed]).toEqual([['slow_consumer'], true]);
  });

  test('sends heartbeats, and writes nothing after its end', () => {
    const { raw, stream } = streamed();
    stream.beat();
    raw.takes();
    stream.end();
    stream.write('late');
    stream.close('max_age');
    stream.beat();
    expect(raw.written).toEqual([': still here\n\n', 'END']);
  });

  test('whenLeft after the end runs at once, and never twice', () => {
    const { stream, left } = streamed();
    stream.disconnected();
    stream.disconnected();
    stream.end();
    expect(left()).toBe(1);
    let late = 0;
    stream.whenLeft(() => late++);
    expect(late).toBe(1);
  });
});
