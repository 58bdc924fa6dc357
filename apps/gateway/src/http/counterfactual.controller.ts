import { Refusal, Views, viewsBehind } from '@countersign/calls';
import { type CallRow, type Cursor, listCalls, parseCursor, readCase } from '@countersign/store';
import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { counterfactualRequest, parseChanges, rangeRequest } from '../counterfactual/counterfactual-request.js';
import { CounterfactualRoom } from '../counterfactual/counterfactual-room.js';
import { Face } from './face.js';
import { seenOf } from './positions.js';
import { type HttpReply, type HttpRequest, ok, okPieces } from './reply.js';

const PAGE = 500;
const CALLS_MAX = 2000;
export const counterfactualRoles = ['operator', 'auditor', 'policy_admin'] as const;

/** What would have been: a case, or a range of time, decided again with something changed. Nothing is run and nothing is written. */
@Controller('v1')
export class CounterfactualController {
  constructor(
    private readonly face: Face,
    private readonly room: CounterfactualRoom,
    private readonly views: Views,
  ) {}

  @Post('cases/:case_id/counterfactual')
  @HttpCode(200)
  ofCase(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, counterfactualRoles, async (caller) => {
      const body = parseChanges(counterfactualRequest, request.body);
      if (body instanceof Refusal) return body;
      const { case_id } = request.params as { case_id: string };
      const current = await this.views.current(seenOf(request));
      if (!(await readCase(this.views.store, caller.tenant_id, case_id)))
        return current ? new Refusal('not-found', 'there is no case of this id') : viewsBehind();
      if (!current) return viewsBehind();
      const rows = await this.callsOf(caller.tenant_id, case_id);
      if (!rows) return new Refusal('too-much', `the case has more than ${CALLS_MAX} calls: ask about a range of time`);
      if (rows.length === 0) return new Refusal('not-found', 'the case has no calls');
      const answer = await this.room.decide(caller, { rows, changes: body.changes, whole_cases: [case_id], more: { case_id } });
      return answer instanceof Refusal ? answer : okPieces(answer);
    });
  }

  @Post('counterfactual')
  @HttpCode(200)
  ofRange(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, counterfactualRoles, async (caller) => {
      const body = parseChanges(rangeRequest, request.body);
      if (body instanceof Refusal) return body;
      const after = body.cursor === undefined ? undefined : parseCursor(body.cursor);
      if (body.cursor !== undefined && !after) return badCursor();
      if (!(await this.views.current(seenOf(request)))) return viewsBehind();
      const { from, to, limit } = body;
      const { items, next_cursor } = await listCalls(this.views.store, {
        tenant_id: caller.tenant_id,
        limit,
        ...(from === undefined ? {} : { from_ms: from }),
        ...(to === undefined ? {} : { to_ms: to }),
        ...(after ? { after } : {}),
      });
      if (items.length === 0)
        return ok({
          calls: 0,
          unchanged: 0,
          unknown: 0,
          counts: {},
          limits: [],
          refused_votes: [],
          not_on_record: [],
          comparisons: [],
          next_cursor,
        });
      const answer = await this.room.decide(caller, { rows: items, changes: body.changes, whole_cases: [], more: { next_cursor } });
      return answer instanceof Refusal ? answer : okPieces(answer);
    });
  }

  /** Oldest first; undefined: too many. */
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

const badCursor = (): Refusal =>
  new Refusal('invalid-request', 'the cursor is none of ours', { issues: [{ path: '/cursor', code: 'cursor', message: 'is not valid' }] });
