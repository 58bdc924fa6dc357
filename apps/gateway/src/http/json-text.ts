import { Readable } from 'node:stream';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor, StreamableFile } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { type HttpReply, JSON_CONTENT_TYPE } from './reply.js';

/**
 * Serialized JSON. It is sent unchanged, without parsing; the schema of its route serves the document and is checked in strict mode only.
 * A large text is split into chunks between values and never handled as a whole.
 */
export class JsonText {
  readonly text: string | undefined;
  readonly pieces: readonly string[] | undefined;

  constructor({ text, pieces }: { text: string; pieces?: never } | { text?: never; pieces: readonly string[] }) {
    this.text = text;
    this.pieces = pieces;
  }

  /** The parsed value. */
  parsed(): unknown {
    return JSON.parse(this.text ?? (this.pieces ?? []).join(''));
  }
}

/** Sends a JsonText: a whole text as text, chunks as a stream. Chunks must not be cached: they may contain decrypted personal data. */
@Injectable()
export class JsonTextInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const reply = context.switchToHttp().getResponse<HttpReply>();
    return next.handle().pipe(map((answer: unknown) => (answer instanceof JsonText ? bodyOf(answer, reply) : answer)));
  }
}

function bodyOf({ text, pieces }: JsonText, reply: HttpReply): string | StreamableFile {
  reply.header('content-type', JSON_CONTENT_TYPE);
  if (pieces === undefined) return text as string;
  reply.header('cache-control', 'no-store');
  return new StreamableFile(Readable.from(pieces, { objectMode: false }));
}
