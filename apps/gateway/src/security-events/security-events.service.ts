import { Views } from '@countersign/calls';
import type { Principal } from '@countersign/contracts';
import { listSecurityEvents, type SecurityEventRow } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import type { WithHeaders } from '../answers/with-headers.js';
import { type Page, placeOf } from '../lists/page-query.js';
import { behindHeader } from '../positions/positions.js';
import type { PatientRequest } from '../requests/preferences.js';
import type { SecurityEventAnswer, SecurityEventQuery } from './security-events.schemas.js';

function answerOf({ event_id, kind, detail, call_id, principal, at_ms, times }: SecurityEventRow): SecurityEventAnswer {
  const by = principal === null ? null : (JSON.parse(principal) as Principal);
  return { event_id, kind, detail, call_id, times, principal: by, at: new Date(at_ms).toISOString() };
}

/** Security events: what was refused, forged or malformed, by whom and on which call. */
@Injectable()
export class SecurityEventsService {
  constructor(private readonly views: Views) {}

  async list(
    tenant_id: string,
    { limit, cursor, ...filters }: SecurityEventQuery,
    request: PatientRequest,
  ): Promise<WithHeaders<Page<SecurityEventAnswer>>> {
    const headers = await behindHeader(this.views, request);
    const page = await listSecurityEvents(this.views.store, { tenant_id, ...filters, ...placeOf({ limit, cursor }) });
    return { body: { items: page.items.map(answerOf), next_cursor: page.next_cursor }, headers };
  }
}
