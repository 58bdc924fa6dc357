import type { Caller } from '@countersign/calls';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { HttpRequest } from './reply.js';

/** A request that AuthGuard admitted. */
export interface AuthenticatedRequest extends HttpRequest {
  caller?: Caller;
}

/** The principal of the request with its tenant and rights. Not available on a `@Public()` route. */
export const CurrentCaller = createParamDecorator((_: undefined, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!caller) throw new Error(`${context.getClass().name}.${context.getHandler().name} uses @CurrentCaller() but has no @Roles()`);
  return caller;
});
