import { type Caller, Calls, envelopeText, pickedEnvelopeText, type SeenCall, seenBy } from '@countersign/calls';
import { unpackCall } from '@countersign/domain';
import { type CallQuery, type CallRow, type Cursor, listCalls } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { JsonText } from '../http/json-text.js';
import type { Page } from '../lists/page-query.js';
import { searchedPage } from '../lists/searched-page.js';
import { CallSearch } from './call-search.js';
import { callSummary } from './call-summary.js';
import { type CallsQuery, callMembers } from './calls.schemas.js';

/** A call as its reader may see it, and its row. */
interface FoundCall {
  row: CallRow;
  call: SeenCall;
}

/** The calls of a tenant, as the reader may see them. */
@Injectable()
export class CallsService {
  constructor(
    private readonly calls: Calls,
    private readonly configuration: ConfigurationService,
  ) {}

  /** Newest first. */
  async list(caller: Caller, query: CallsQuery): Promise<JsonText> {
    const { items, next_cursor } = await this.page(caller, query);
    const picked = callMembers.picked(query);
    const has_summary = picked?.has('summary');
    const texts = items.map(({ call }) => {
      const text = picked ? pickedEnvelopeText(call, picked) : envelopeText(call);
      return has_summary ? withMember(text, 'summary', callSummary(this.configuration.state, call)) : text;
    });
    return new JsonText({ text: `{"items":[${texts.join(',')}],"next_cursor":${JSON.stringify(next_cursor)}}` });
  }

  private page(caller: Caller, query: CallsQuery): Promise<Page<FoundCall>> {
    const search = new CallSearch(query, this.configuration.state);
    const read = (limit: number, after: Cursor | undefined) => this.read(caller, storedQuery(caller, query, limit, after));
    if (!search.isNeeded) return read(query.limit, query.cursor);
    const placeOf = ({ row: { requested_at_ms: at, call_id: id } }: FoundCall): Cursor => ({ at, id });
    return searchedPage({ read, placeOf, matches: ({ call }) => search.matches(call) }, query);
  }

  private async read(caller: Caller, query: CallQuery): Promise<Page<FoundCall>> {
    const { items, next_cursor } = await listCalls(this.calls.recorded.views.store, query);
    return { items: items.map((row) => ({ row, call: seenBy(unpackCall(row.state), caller) })), next_cursor };
  }
}

/** A JSON object with one more member. */
const withMember = (object: string, name: string, value: string | null): string =>
  `${object.slice(0, -1)}${object.length > 2 ? ',' : ''}${JSON.stringify(name)}:${JSON.stringify(value)}}`;

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
