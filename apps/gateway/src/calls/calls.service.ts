import { type Caller, Calls, envelopeText, seenBy } from '@countersign/calls';
import { unpackCall } from '@countersign/domain';
import { listCalls } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { JsonText } from '../http/json-text.js';
import { storeQuery } from '../lists/page-query.js';
import type { CallsQuery } from './calls.schemas.js';

/** The calls of a tenant as its readers may see them. */
@Injectable()
export class CallsService {
  constructor(private readonly calls: Calls) {}

  /** Newest first. */
  async list(caller: Caller, query: CallsQuery): Promise<JsonText> {
    const page = await listCalls(this.calls.recorded.views.store, { tenant_id: caller.tenant_id, ...storeQuery(query) });
    const items = page.items.map((row) => envelopeText(seenBy(unpackCall(row.state), caller)));
    return new JsonText({ text: `{"items":[${items.join(',')}],"next_cursor":${JSON.stringify(page.next_cursor)}}` });
  }
}
