import { Refusal } from '@countersign/calls';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ACCESS, type Access } from './access.decorator.js';
import type { AuthenticatedRequest } from './current-caller.decorator.js';
import type { HttpReply } from './reply.js';
import { RequestAccess } from './request-access.js';

/**
 * Admits a request with a valid token and one of the roles of the route. Handlers get the caller by `@CurrentCaller()`. A route without
 * @Roles() or @Public() is refused.
 */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly access: RequestAccess,
  ) {}

  /** @throws {Refusal} `unauthenticated`, `forbidden` */
  canActivate(context: ExecutionContext): boolean {
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS, [context.getHandler(), context.getClass()]);
    if (access === 'public') return true;
    if (access === undefined)
      throw new Error(`${context.getClass().name}.${context.getHandler().name} states neither @Roles() nor @Public()`);
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const caller = this.access.admit(request, access);
    if (caller instanceof Refusal) throw caller;
    request.caller = caller;
    if (request.headers.cookie !== undefined) this.access.answerSession(request, context.switchToHttp().getResponse<HttpReply>());
    return true;
  }
}
