import { Readable } from 'node:stream';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor, StreamableFile } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { JsonText } from './json-text.js';
import { type HttpReply, JSON_CONTENT_TYPE } from './reply.js';

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
