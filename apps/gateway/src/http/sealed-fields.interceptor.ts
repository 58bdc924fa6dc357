import { Readable } from '@countersign/calls';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { mergeMap, type Observable } from 'rxjs';
import { AS_RECORDED } from './as-recorded.decorator.js';
import type { AuthenticatedRequest } from './current-caller.decorator.js';
import type { HttpReply } from './reply.js';

/**
 * Opens what is sealed in an answer, except on `@AsRecorded()` routes. Nobody may keep a copy of an opened answer: what it
 * shows may be erased later.
 */
@Injectable()
export class SealedFieldsInterceptor implements NestInterceptor {
  constructor(
    private readonly readable: Readable,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const tenant_id = http.getRequest<AuthenticatedRequest>().caller?.tenant_id;
    const is_recorded = this.reflector.getAllAndOverride<boolean | undefined>(AS_RECORDED, [context.getHandler(), context.getClass()]);
    if (tenant_id === undefined || is_recorded || !this.readable.uses(tenant_id)) return next.handle();
    return next.handle().pipe(mergeMap((answer: unknown) => this.opened(tenant_id, answer, http.getResponse<HttpReply>())));
  }

  private async opened(tenant_id: string, answer: unknown, reply: HttpReply): Promise<unknown> {
    if (typeof answer !== 'object' || answer === null) return answer;
    const sealed = JSON.stringify(answer);
    const opened = await this.readable.text(tenant_id, sealed);
    if (opened === sealed) return answer;
    reply.header('cache-control', 'no-store');
    return JSON.parse(opened) as unknown;
  }
}
