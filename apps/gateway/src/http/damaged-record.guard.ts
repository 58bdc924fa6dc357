import { RecordGuard, Refusal } from '@countersign/calls';
import { applyDecorators, type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { apiRoutes } from './api-routes.js';
import { Face } from './face.js';
import type { HttpReply, HttpRequest } from './reply.js';

/** Beside every answer to a tenant whose record is damaged. */
const DAMAGED_HEADER = 'countersign-record';
const ALLOWED = 'countersign:allowed-while-damaged';

/** A route that is no GET and is served also while the record is damaged: it leaves the record of the tenant as it is, or mends it. */
export const AllowedWhileDamaged = (): MethodDecorator => applyDecorators(SetMetadata(ALLOWED, true));

const asRouted = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');
/** Of the routes that do not state theirs by decorators yet. */
const stated = new Set(apiRoutes.filter(({ reads }) => reads).map(({ method, path }) => `${method.toUpperCase()} ${asRouted(path)}`));

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
    const request = http.getRequest<HttpRequest>();
    const caller = this.face.admit(request, []);
    const refused = caller instanceof Refusal ? undefined : this.record.refusal(caller.tenant_id);
    if (!refused) return true;
    // Streams and exports write their own heads: this one is merged into them.
    http.getResponse<HttpReply>().raw.setHeader(DAMAGED_HEADER, 'damaged');
    if (this.isAllowed(context, request)) return true;
    throw refused;
  }

  private isAllowed(context: ExecutionContext, { method, routeOptions }: HttpRequest): boolean {
    if (method === 'GET' || method === 'HEAD') return true;
    return this.reflector.get<boolean | undefined>(ALLOWED, context.getHandler()) ?? stated.has(`${method} ${routeOptions.url ?? ''}`);
  }
}
