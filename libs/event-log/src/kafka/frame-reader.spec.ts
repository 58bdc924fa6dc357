import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FrameReader } from './frame-reader.js';

const FRAME_BYTES_MAX = 1_000;

function frameOf(bytes: Uint8Array): Buffer {
  const frame = Buffer.alloc(4 + bytes.length);
  frame.writeInt32BE(bytes.length, 0);
  frame.set(bytes, 4);
  return frame;
}

/** The stream cut into chunks of these sizes, cyclically. */
function chunksOf(stream: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, nth = 0; at < stream.length; nth++) {
    const size = sizes[nth % sizes.length] as number;
    chunks.push(stream.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

describe('the frames of a connection', () => {
  test('are returned complete and in order, however the network splits them, and a partial one is never passed on', () => {
    const frames = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 10 });
    const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(frames, sizes, fc.nat(), (bodies, chunk_sizes, cut) => {
        const sent = bodies.map(frameOf);
        const stream = Buffer.concat(sent);
        const arrived = stream.subarray(0, stream.length === 0 ? 0 : cut % (stream.length + 1));
        const reader = new FrameReader(FRAME_BYTES_MAX);
        const taken: Buffer[] = [];
        for (const chunk of chunksOf(arrived, chunk_sizes)) reader.push(chunk, (frame) => taken.push(frame));
        const endOf = (nth: number) => Buffer.concat(sent.slice(0, nth + 1)).length;
        const whole = sent.filter((_, nth) => endOf(nth) <= arrived.length);
        expect(taken).toEqual(whole);
      }),
    );
  });

  test.each([-1, FRAME_BYTES_MAX + 1, 2 ** 31 - 1, -(2 ** 31)])('a length of %d is refused, with the length and the limit', (length) => {
    const head = Buffer.alloc(4);
    head.writeInt32BE(length, 0);
    const reader = new FrameReader(FRAME_BYTES_MAX);
    expect(() => reader.push(head, () => undefined)).toThrow(`a response of ${length} bytes; the limit is ${FRAME_BYTES_MAX} bytes`);
  });
});
