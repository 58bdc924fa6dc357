import { Refusal } from '@countersign/calls';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ACCESS, type Access } from './access.decorator.js';
import type { AuthenticatedRequest } from './current-caller.decorator.js';
import { Face } from './face.js';

/** Lets a request in whose token is valid and has one of the route's roles. Its caller is then at `@CurrentCaller()`. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly face: Face,
  ) {}

  /** @throws {Refusal} `unauthenticated`, `forbidden` */
  canActivate(context: ExecutionContext): boolean {
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS, [context.getHandler(), context.getClass()]);
    // Controllers that have not moved to the kit yet check the caller themselves (Face.serve).
    if (access === undefined || access === 'public') return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const caller = this.face.admit(request, access);
    if (caller instanceof Refusal) throw caller;
    request.caller = caller;
    return true;
  }
}
