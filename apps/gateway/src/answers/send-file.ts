import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { HttpReply } from '../http/reply.js';

const BUFFERED_BYTES = 64 * 1024;

/**
 * Streams a file of any length while it is generated. An error cuts the connection, so that a reader never mistakes a part for the whole
 * file. @returns the error; undefined if the whole file was sent or its reader left.
 */
export async function sendFile(
  reply: HttpReply,
  headers: Readonly<Record<string, string>>,
  chunks: AsyncIterable<Buffer | string>,
): Promise<Error | undefined> {
  reply.hijack();
  reply.raw.writeHead(200, headers);
  const file = Readable.from(chunks, { objectMode: false, highWaterMark: BUFFERED_BYTES });
  try {
    await pipeline(file, reply.raw);
    return undefined;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE' ? undefined : (cause as Error);
  }
}
