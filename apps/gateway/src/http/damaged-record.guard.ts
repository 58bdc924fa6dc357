import { RecordGuard, Refusal } from '@countersign/calls';
import { type CanActivate, type CustomDecorator, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { AuthenticatedRequest } from './current-caller.decorator.js';
import type { HttpReply } from './reply.js';
import { RequestAccess } from './request-access.js';

/** Header of every response to a tenant whose record is damaged. */
const DAMAGED_HEADER = 'countersign-record';
const ALLOWED_WHILE_DAMAGED = 'countersign:allowed-while-damaged';

/**
 * A method other than GET that is also served while the record is damaged: it does not change the tenant's record, or it repairs the
 * damage.
 */
export const AllowedWhileDamaged = (): CustomDecorator => SetMetadata(ALLOWED_WHILE_DAMAGED, true);

/** Refuses changes by tenants whose record is damaged. Their reads are served with a header that reports the damage. */
@Injectable()
export class DamagedRecordGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly access: RequestAccess,
    private readonly record: RecordGuard,
  ) {}

  /** @throws {Refusal} `record-damaged` */
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    const caller = this.access.admit(request, []);
    const refused = caller instanceof Refusal ? undefined : this.record.refusal(caller.tenant_id);
    if (!refused) return true;
    // Streams and exports write their own headers; Node merges this one into them.
    http.getResponse<HttpReply>().raw.setHeader(DAMAGED_HEADER, 'damaged');
    if (this.isAllowed(context, request)) return true;
    throw refused;
  }

  private isAllowed(context: ExecutionContext, { method }: AuthenticatedRequest): boolean {
    if (method === 'GET' || method === 'HEAD') return true;
    return this.reflector.get<boolean | undefined>(ALLOWED_WHILE_DAMAGED, context.getHandler()) ?? false;
  }
}
