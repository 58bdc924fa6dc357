import { Views } from '@countersign/calls';
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { type Observable } from 'rxjs';
import type { z } from 'zod';
import { Answer } from '../http/answer.decorator.js';
import type { HttpReply, HttpRequest } from '../http/reply.js';
import { seenOf } from './positions.js';

/** Waits for the views before a list is read from them. Sets a header if they have not caught up. */
@Injectable()
export class ViewsBehindInterceptor implements NestInterceptor {
  constructor(private readonly views: Views) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const is_current = await this.views.current(seenOf(http.getRequest<HttpRequest>()));
    if (!is_current) http.getResponse<HttpReply>().header('countersign-views', 'behind');
    return next.handle();
  }
}

const headers = {
  'Countersign-Views': {
    description:
      'set if the views did not catch up with the log within a second, or within `Prefer: wait=N`: a missing item may still exist',
    schema: { type: 'string', enum: ['behind'] },
  },
} as const;

/** A list that is read from the views. */
export const AnswerFromViews = (schema: z.ZodType): MethodDecorator =>
  applyDecorators(UseInterceptors(ViewsBehindInterceptor), Answer(schema, { headers: headers as never }));
