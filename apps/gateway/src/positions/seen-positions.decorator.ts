import type { Seen } from '@countersign/calls';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { HttpRequest } from '../http/reply.js';
import { seenOf } from './positions.js';

/** The positions that a request has seen, and how long it waits for them. */
export const SeenPositions = createParamDecorator(
  (_: undefined, context: ExecutionContext): Seen => seenOf(context.switchToHttp().getRequest<HttpRequest>()),
);
