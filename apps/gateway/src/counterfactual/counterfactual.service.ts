import { type Caller, noSuchCase, Refusal, type Seen, Views, viewsBehind } from '@countersign/calls';
import { type CallRow, type Cursor, listCalls, parseCursor, readCase } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { CounterfactualDecider } from './counterfactual-decider.js';
import type { CounterfactualRequest, RangeRequest } from './counterfactual-request.schema.js';

const PAGE = 500;
const CALLS_MAX = 2000;
const NOTHING = JSON.stringify({
  ...{ calls: 0, unchanged: 0, unknown: 0, counts: {} },
  ...{ limits: [], refused_votes: [], not_on_record: [], comparisons: [] },
});

/** Counterfactuals: decides a case or a time range again with something changed. Runs no tool and writes nothing. */
@Injectable()
export class CounterfactualService {
  constructor(
    private readonly decider: CounterfactualDecider,
    private readonly views: Views,
  ) {}

  /** @returns the response as JSON in chunks. */
  async ofCase(caller: Caller, case_id: string, { changes }: CounterfactualRequest, seen: Seen): Promise<string[] | Refusal> {
    const current = await this.views.current(seen);
    const known = await readCase(this.views.store, caller.tenant_id, case_id);
    if (!current) return viewsBehind();
    if (!known) return noSuchCase();
    const rows = await this.callsOf(caller.tenant_id, case_id);
    if (!rows) return new Refusal('too-much', `the case has more than ${CALLS_MAX} calls: use POST /v1/counterfactual with a time range`);
    if (rows.length === 0) return new Refusal('not-found', 'the case has no calls', { reason: 'case_has_no_calls' });
    return this.decider.decide(caller, { rows, changes, whole_cases: [case_id], more: { case_id } });
  }

  /** The same over a time range, one page of calls at a time. */
  async ofRange(caller: Caller, { changes, from, to, limit, cursor }: RangeRequest, seen: Seen): Promise<string[] | Refusal> {
    if (!(await this.views.current(seen))) return viewsBehind();
    const { items, next_cursor } = await listCalls(this.views.store, {
      tenant_id: caller.tenant_id,
      limit,
      ...(from === undefined ? {} : { from_ms: from }),
      ...(to === undefined ? {} : { to_ms: to }),
      ...(cursor ? { after: cursor } : {}),
    });
    if (items.length === 0) return [`${NOTHING.slice(0, -1)},"next_cursor":${JSON.stringify(next_cursor)}}`];
    return this.decider.decide(caller, { rows: items, changes, whole_cases: [], more: { next_cursor } });
  }

  /** Oldest first; undefined if there are too many. */
  private async callsOf(tenant_id: string, case_id: string): Promise<CallRow[] | undefined> {
    const rows: CallRow[] = [];
    let after: Cursor | undefined;
    do {
      const page = await listCalls(this.views.store, { tenant_id, case_id, limit: PAGE, ...(after ? { after } : {}) });
      rows.push(...page.items);
      after = page.next_cursor === null ? undefined : parseCursor(page.next_cursor);
    } while (after && rows.length <= CALLS_MAX);
    return rows.length > CALLS_MAX ? undefined : rows.reverse();
  }
}
