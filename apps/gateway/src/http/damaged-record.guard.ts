import { RecordGuard, Refusal } from '@countersign/calls';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { READS_ONLY } from './access.decorator.js';
import { apiRoutes } from './api-routes.js';
import type { AuthenticatedRequest } from './current-caller.decorator.js';
import { Face } from './face.js';
import type { HttpReply } from './reply.js';

/** Beside every answer to a tenant whose record is damaged. */
const DAMAGED_HEADER = 'countersign-record';

const asRouted = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');
/** Routes that have not moved to decorators say it in their list. */
const statedApart = new Set(apiRoutes.filter(({ reads }) => reads).map(({ method, path }) => `${method.toUpperCase()} ${asRouted(path)}`));

/** Refuses writes of tenants whose record is damaged; reads go on, and their answers say so. */
@Injectable()
export class DamagedRecordGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly record: RecordGuard,
    private readonly face: Face,
  ) {}

  /** @throws {Refusal} `record-damaged` */
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    const caller = request.caller ?? this.face.admit(request, []);
    const refused = caller instanceof Refusal ? undefined : this.record.refusal(caller.tenant_id);
    if (!refused) return true;
    // Streams and exports write their own heads: this one is merged into them.
    http.getResponse<HttpReply>().raw.setHeader(DAMAGED_HEADER, 'damaged');
    if (this.isRead(context, request)) return true;
    throw refused;
  }

  private isRead(context: ExecutionContext, { method, routeOptions }: AuthenticatedRequest): boolean {
    if (method === 'GET' || method === 'HEAD') return true;
    return this.reflector.get<boolean>(READS_ONLY, context.getHandler()) || statedApart.has(`${method} ${routeOptions.url ?? ''}`);
  }
}
