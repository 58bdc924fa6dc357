import { Readable } from '@countersign/calls';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor, SetMetadata, StreamableFile } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { mergeMap, type Observable } from 'rxjs';
import type { AuthenticatedRequest } from './current-caller.decorator.js';
import { JsonText } from './json-text.js';
import type { HttpReply } from './reply.js';

const AS_RECORDED = 'countersign:as_recorded';

/** A route that returns the record itself or a proof of it: encrypted fields of its responses stay encrypted. */
export const AsRecorded = (): MethodDecorator & ClassDecorator => SetMetadata(AS_RECORDED, true);

/** Decrypts encrypted fields of a response. Such a response must not be cached: its data may be erased later. */
@Injectable()
export class SealedFieldsInterceptor implements NestInterceptor {
  constructor(
    private readonly readable: Readable,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const tenant_id = http.getRequest<AuthenticatedRequest>().caller?.tenant_id;
    if (tenant_id === undefined || !this.readable.uses(tenant_id)) return next.handle();
    if (this.reflector.getAllAndOverride<boolean | undefined>(AS_RECORDED, [context.getHandler(), context.getClass()]))
      return next.handle();
    return next.handle().pipe(mergeMap((answer: unknown) => this.opened(tenant_id, answer, http.getResponse<HttpReply>())));
  }

  private async opened(tenant_id: string, answer: unknown, reply: HttpReply): Promise<unknown> {
    if (typeof answer !== 'object' || answer === null || answer instanceof StreamableFile) return answer;
    if (answer instanceof JsonText && answer.pieces) return this.openedPieces(tenant_id, answer.pieces);
    const sealed = answer instanceof JsonText ? (answer.text as string) : JSON.stringify(answer);
    const opened = await this.readable.text(tenant_id, sealed);
    if (opened === sealed) return answer;
    reply.header('cache-control', 'no-store');
    return new JsonText({ text: opened });
  }

  private async openedPieces(tenant_id: string, sealed: readonly string[]): Promise<JsonText> {
    const pieces: string[] = [];
    for (const piece of sealed) pieces.push(await this.readable.text(tenant_id, piece));
    return new JsonText({ pieces });
  }
}
