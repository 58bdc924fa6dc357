import { Readable } from 'node:stream';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor, StreamableFile } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { type HttpReply, JSON_CONTENT_TYPE } from './reply.js';

/**
 * JSON that is made already. It is sent as it is, without being parsed; the schema of its route is for the document, and is
 * checked where answers are strict. A large one is in pieces, cut between values, and is never handled as a whole.
 */
export class JsonText {
  readonly text: string | undefined;
  readonly pieces: readonly string[] | undefined;

  constructor({ text, pieces }: { text: string; pieces?: never } | { text?: never; pieces: readonly string[] }) {
    this.text = text;
    this.pieces = pieces;
  }

  /** What it says. */
  parsed(): unknown {
    return JSON.parse(this.text ?? (this.pieces ?? []).join(''));
  }
}

/** Hands a JsonText to the reply: whole as text, in pieces as a stream. No cache keeps pieces, which may show opened personal data. */
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
