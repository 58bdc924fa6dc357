import { Refusal } from '@countersign/calls';
import { DEFAULT_TENANT } from '@countersign/contracts';
import { applyDecorators, type CanActivate, type ExecutionContext, Injectable, SetMetadata, UseGuards } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { AuthenticatedRequest } from '../http/current-caller.decorator.js';

const WHAT = 'countersign:default-tenant';

/** Admits only callers of tenant `default`, which administers the installation. Runs after AuthGuard. */
@Injectable()
export class DefaultTenantGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  /** @throws {Refusal} `forbidden` */
  canActivate(context: ExecutionContext): boolean {
    const { caller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (caller?.tenant_id === DEFAULT_TENANT) return true;
    const what = this.reflector.getAllAndOverride<string>(WHAT, [context.getHandler(), context.getClass()]);
    throw new Refusal('forbidden', `${what} can be administered only in tenant ${DEFAULT_TENANT}`, { reason: 'default_tenant_required' });
  }
}

/** Restricts a route to principals of tenant `default`; `what`: what it administers. */
export const OfDefaultTenant = (what: string): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(WHAT, what), UseGuards(DefaultTenantGuard));
