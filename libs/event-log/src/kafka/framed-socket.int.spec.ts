import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../suite-fixture.js';
import { FramedSocket, type FramedSocketOptions } from './framed-socket.js';

const SILENCE_MS = 2_000;

function frameOf(text: string): Buffer {
  const frame = Buffer.alloc(4 + Buffer.byteLength(text));
  frame.writeInt32BE(frame.length - 4, 0);
  frame.write(text, 4);
  return frame;
}

describe('a socket for kafkajs', () => {
  let server: Server;
  let theirs: Socket | undefined;
  let framed: FramedSocket;
  let events: string[];

  beforeEach(async () => {
    events = [];
    theirs = undefined;
    server = createServer((socket) => {
      theirs = socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterEach(async () => {
    framed.end();
    theirs?.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  /** A connected socket and its peer. Every event that it emits is noted. */
  async function connected(options: Partial<FramedSocketOptions> = {}): Promise<Socket> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    framed = new FramedSocket(socket, {
      onConnect: () => events.push('connected'),
      onLost: (reason) => events.push(`lost: ${reason}`),
      ...options,
    });
    socket.once('connect', () => framed.established());
    for (const name of ['end', 'error']) framed.on(name, () => events.push(name));
    framed.on('data', (frame: Buffer) => events.push(frame.subarray(4).toString()));
    await eventually('both are connected', () => events.length === 1 && theirs !== undefined);
    return theirs as Socket;
  }

  test('passes on complete frames only, and reports a cut in the middle of one as an end', async () => {
    const other = await connected();
    const second = frameOf('second');
    other.write(Buffer.concat([frameOf('first'), second.subarray(0, 3)]));
    await eventually('the first is there', () => events.includes('first'));
    other.write(second.subarray(3));
    await eventually('the second is there', () => events.includes('second'));
    other.end(frameOf('third').subarray(0, 6));
    await eventually('the end is there', () => events.includes('end'));
    expect(events).toEqual(['connected', 'first', 'second', 'lost: the broker closed the connection', 'end']);
  });

  test('a reset is reported as an end too, because kafkajs fails a running authentication only at an end', async () => {
    const other = await connected();
    other.resetAndDestroy();
    await eventually('the end is there', () => events.includes('end'));
    expect(events).not.toContain('error');
  });

  test('an invalid length ends the connection, and the bytes after it are not read', async () => {
    const other = await connected({ frame_bytes_max: 100 });
    const garbled = frameOf('garbled');
    garbled.writeInt32BE(101, 0);
    other.write(Buffer.concat([garbled, frameOf('after')]));
    await eventually('the end is there', () => events.includes('end'));
    expect(events).toEqual(['connected', 'lost: the broker announces a response of 101 bytes; the limit is 100 bytes', 'end']);
  });

  test('an exception of its reader ends the connection instead of the process', async () => {
    const other = await connected();
    framed.on('data', () => {
      throw new RangeError('Attempt to access memory outside buffer bounds');
    });
    other.write(frameOf('first'));
    await eventually('the end is there', () => events.includes('end'));
    expect(events).toContain('lost: Attempt to access memory outside buffer bounds');
  });

  test('without a listener the connect fails with an error', async () => {
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    framed = new FramedSocket(connect(port, '127.0.0.1'), { onConnect: () => events.push('connected'), onLost: () => events.push('lost') });
    framed.on('error', () => events.push('error'));
    framed.on('end', () => events.push('end'));
    await eventually('the error is there', () => events.includes('error'));
    expect(events).toEqual(['lost', 'error']);
    server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  test('is cut if a request is pending and no bytes arrive, and stays open if no request is pending or bytes still arrive', async () => {
    const other = await connected({ staleness_ms: SILENCE_MS });
    await new Promise((resolve) => setTimeout(resolve, 1.5 * SILENCE_MS));
    expect(events).toEqual(['connected']);
    framed.write(frameOf('request'));
    const answer = frameOf('a slow answer');
    for (const byte of answer.subarray(0, 6)) {
      other.write(Buffer.from([byte]));
      await new Promise((resolve) => setTimeout(resolve, SILENCE_MS / 4));
    }
    expect(events).toEqual(['connected']);
    await eventually('it is cut', () => events.includes('end'));
    expect(events).toContain(`lost: received no byte for ${SILENCE_MS} ms while a request waits for its response`);
  });

  test('after its end it emits nothing and accepts nothing', async () => {
    const other = await connected();
    framed.end();
    other.write(frameOf('late'));
    other.end();
    await eventually('it is closed', () => other.destroyed);
    expect(events).toEqual(['connected']);
    expect(() => framed.write('more')).toThrow('the connection to the broker has ended');
  });
});
