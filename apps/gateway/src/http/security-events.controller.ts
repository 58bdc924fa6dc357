import { Refusal, Views } from '@countersign/calls';
import { listSecurityEvents, type SecurityEventRow } from '@countersign/store';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { Face } from './face.js';
import { listed } from './lists.js';
import { behindHeader } from './positions.js';
import { type HttpReply, type HttpRequest, ok } from './reply.js';

export const securityFilters = {
  kind: z.string().min(1).max(200).optional(),
  call_id: z.string().min(1).max(100).optional(),
  principal_id: z.string().min(1).max(200).optional(),
};

function face({ event_id, kind, detail, call_id, principal, at_ms, times }: SecurityEventRow): Record<string, unknown> {
  return {
    event_id,
    kind,
    detail,
    call_id,
    times,
    principal: principal === null ? null : JSON.parse(principal),
    at: new Date(at_ms).toISOString(),
  };
}

/** `GET /v1/security-events`: what was refused, forged or malformed, who did it and on which call. */
@Controller('v1/security-events')
export class SecurityEventsController {
  constructor(
    private readonly face: Face,
    private readonly views: Views,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['auditor', 'operator'], async (caller) => {
      const query = listed(request, securityFilters);
      if (query instanceof Refusal) return query;
      const told = await behindHeader(this.views, request);
      const page = await listSecurityEvents(this.views.store, { tenant_id: caller.tenant_id, ...query });
      return ok({ items: page.items.map(face), next_cursor: page.next_cursor }, told);
    });
  }
}
