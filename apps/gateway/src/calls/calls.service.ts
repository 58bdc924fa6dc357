import { type Caller, Calls, envelopeText, pickedEnvelopeText, type SeenCall, seenBy } from '@countersign/calls';
import { unpackCall } from '@countersign/domain';
import { type CallQuery, type CallRow, type Cursor, cursorText, listCalls } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { JsonText } from '../http/json-text.js';
import { CallSearch } from './call-search.js';
import { type CallsQuery, callMembers } from './calls.schemas.js';

/** Calls that one request reads at most where it searches, and how many at once: a page ends there, and its cursor goes on. */
const SCANNED_MAX = 1000;
const SCANNED_AT_ONCE = 100;

interface FoundCalls {
  calls: SeenCall[];
  next_cursor: string | null;
}

const cursorAt = ({ requested_at_ms, call_id }: CallRow): Cursor => ({ at: requested_at_ms, id: call_id });

/** The calls of a tenant as its readers may see them. */
@Injectable()
export class CallsService {
  constructor(
    private readonly calls: Calls,
    private readonly configuration: ConfigurationService,
  ) {}

  /** Newest first. */
  async list(caller: Caller, query: CallsQuery): Promise<JsonText> {
    const search = new CallSearch(query, this.configuration.state);
    const found = search.isNeeded ? await this.search(caller, query, search) : await this.page(caller, query);
    const picked = callMembers.picked(query);
    const items = found.calls.map((call) => (picked ? pickedEnvelopeText(call, picked) : envelopeText(call)));
    return new JsonText({ text: `{"items":[${items.join(',')}],"next_cursor":${JSON.stringify(found.next_cursor)}}` });
  }

  private async page(caller: Caller, query: CallsQuery): Promise<FoundCalls> {
    const page = await listCalls(this.calls.recorded.views.store, storedQuery(caller, query, query.limit, query.cursor));
    return { calls: page.items.map(({ state }) => seenBy(unpackCall(state), caller)), next_cursor: page.next_cursor };
  }

  /** A page of calls that match; where many do not, it is shorter than asked for and goes on all the same. */
  private async search(caller: Caller, query: CallsQuery, search: CallSearch): Promise<FoundCalls> {
    const calls: SeenCall[] = [];
    let after = query.cursor;
    for (let scanned = 0; scanned < SCANNED_MAX; scanned += SCANNED_AT_ONCE) {
      const page = await listCalls(this.calls.recorded.views.store, storedQuery(caller, query, SCANNED_AT_ONCE, after));
      for (const row of page.items) {
        after = cursorAt(row);
        const call = seenBy(unpackCall(row.state), caller);
        if (search.matches(call)) calls.push(call);
        if (calls.length === query.limit) return { calls, next_cursor: cursorText(after) };
      }
      if (page.next_cursor === null) return { calls, next_cursor: null };
    }
    return { calls, next_cursor: after ? cursorText(after) : null };
  }
}

function storedQuery(caller: Caller, query: CallsQuery, limit: number, after: Cursor | undefined): CallQuery {
  const { status, case_id, run_id, tool, external_id, metadata, requested_after, requested_before } = query;
  return {
    tenant_id: caller.tenant_id,
    limit,
    ...(after && { after }),
    ...(status && { status }),
    ...(case_id !== undefined && { case_id }),
    ...(run_id !== undefined && { run_id }),
    ...(tool !== undefined && { tool }),
    ...(external_id !== undefined && { external_id }),
    ...(metadata && { metadata }),
    ...(requested_after !== undefined && { from_ms: requested_after }),
    ...(requested_before !== undefined && { to_ms: requested_before - 1 }),
  };
}
