import { type Caller, CallSealer, Refusal, subjectsRequest, Views, viewsBehind } from '@countersign/calls';
import { uuidv7 } from '@countersign/contracts';
import { caseOf, itemNames } from '@countersign/domain';
import { type CaseRow, caseHistory, listCases, readCase } from '@countersign/store';
import { Controller, Get, Patch, Post, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import type { Edited } from '../configuration/configuration-edits.js';
import { ConfigurationRoom } from '../configuration/configuration-room.js';
import type { ChangeFields } from '../identity/configuration-writer.js';
import { parseBody } from '../requests/body-issues.js';
import { historyFace } from './case-history-face.js';
import { Face } from './face.js';
import { listed } from './lists.js';
import { behindHeader, positionText, seenOf } from './positions.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

const title = z.string().min(1).max(400).optional();
export const caseRequest = z.strictObject({ title, subjects: subjectsRequest }).prefault({});
export const caseChange = z.strictObject({ state: z.enum(['open', 'closed']), title, subjects: subjectsRequest });
export const caseFilters = { status: z.enum(['open', 'awaiting_approval', 'closed']).optional() };

const noSuchCase = (): Refusal => new Refusal('not-found', 'there is no case of this id');
const idOf = (request: HttpRequest): string => (request.params as { case_id: string }).case_id;

function caseFace(row: CaseRow): Record<string, unknown> {
  const { case_id, tenant_id, status, title, opened_at_ms, changed_at_ms } = row;
  return {
    case_id,
    tenant_id,
    status,
    title,
    opened_at: new Date(opened_at_ms).toISOString(),
    changed_at: new Date(changed_at_ms).toISOString(),
  };
}

/** `/v1/cases`: ids are minted here; a case holds the calls that belong together. */
@Controller('v1/cases')
export class CasesController {
  constructor(
    private readonly face: Face,
    private readonly room: ConfigurationRoom,
    private readonly views: Views,
    private readonly sealer: CallSealer,
  ) {}

  @Post()
  open(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['agent', 'operator'], async (caller) => {
      const body = parseBody(caseRequest, request.body ?? undefined);
      if (body instanceof Refusal) return body;
      const case_id = `case_${uuidv7(this.room.clock.now_ms())}`;
      return this.begin(caller, case_id, { ...body, state: 'open' });
    });
  }

  @Patch(':case_id')
  change(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['agent', 'operator'], async (caller) => {
      const body = parseBody(caseChange, request.body);
      if (body instanceof Refusal) return body;
      return this.edit(request, caller, body);
    });
  }

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const query = listed(request, caseFilters);
      if (query instanceof Refusal) return query;
      const told = await behindHeader(this.views, request);
      const page = await listCases(this.views.store, { tenant_id: caller.tenant_id, ...query });
      return ok({ items: page.items.map(caseFace), next_cursor: page.next_cursor }, told);
    });
  }

  @Get(':case_id')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const current = await this.views.current(seenOf(request));
      const row = await readCase(this.views.store, caller.tenant_id, idOf(request));
      // The tag of what the row may not show yet would let its reader undo that: such a reader gets none.
      if (row) return ok(caseFace(row), current ? { etag: this.etag(caller.tenant_id, row.case_id) } : {});
      return current ? noSuchCase() : viewsBehind();
    });
  }

  @Get(':case_id/history')
  history(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], async (caller) => {
      const query = listed(request);
      if (query instanceof Refusal) return query;
      const current = await this.views.current(seenOf(request));
      const case_id = idOf(request);
      if (!(await readCase(this.views.store, caller.tenant_id, case_id))) return current ? noSuchCase() : viewsBehind();
      const page = await caseHistory(this.views.store, { tenant_id: caller.tenant_id, case_id, ...query });
      return ok({ items: page.items.map((row) => historyFace(row, caller)), next_cursor: page.next_cursor });
    });
  }

  private etag(tenant_id: string, case_id: string): string {
    return this.room.edits.etag(tenant_id, itemNames.case(case_id));
  }

  private async edit(request: HttpRequest, caller: Caller, asked: z.infer<typeof caseChange>): Promise<Answer | Refusal> {
    const { tenant_id } = caller;
    const case_id = idOf(request);
    const exists = () => caseOf(this.room.state, tenant_id, case_id) !== undefined;
    const draft = () => (exists() ? this.fields(caller, case_id, asked) : noSuchCase());
    const edited = await this.room.edits.edit(request, { tenant_id, type: 'case_set', item: itemNames.case(case_id), exists, draft });
    return edited instanceof Refusal ? edited : this.shown(tenant_id, edited, edited.etag);
  }

  private async begin(caller: Caller, case_id: string, asked: z.infer<typeof caseChange>): Promise<Answer | Refusal> {
    const fields = await this.fields(caller, case_id, asked);
    if (fields instanceof Refusal) return fields;
    const position = await this.room.writer.set(caller.tenant_id, 'case_set', fields);
    return { ...this.shown(caller.tenant_id, { fields, position }, this.etag(caller.tenant_id, case_id)), status: 201 };
  }

  private async fields(caller: Caller, case_id: string, asked: z.infer<typeof caseChange>): Promise<ChangeFields<'case_set'> | Refusal> {
    // A title that names nobody stays readable: the page of cases is nothing without it.
    const { state, subjects, title: given = null } = asked;
    const title = subjects.length > 0 ? await this.sealer.about(caller.tenant_id, subjects, given) : given;
    if (title instanceof Refusal) return title;
    return { case_id, state, title, by: caller.principal, changed_at_ms: this.room.clock.now_ms() };
  }

  private shown(tenant_id: string, { fields, position }: Pick<Edited<'case_set'>, 'fields' | 'position'>, etag: string): Answer {
    const { case_id, state: status, changed_at_ms } = fields;
    this.views.answered.note(position);
    const known = caseOf(this.room.state, tenant_id, case_id);
    const title = known?.title ?? fields.title;
    const row: CaseRow = { tenant_id, case_id, status, title, opened_at_ms: known?.opened_at_ms ?? changed_at_ms, changed_at_ms };
    return ok(caseFace(row), { location: `/v1/cases/${case_id}`, 'countersign-position': positionText(position), etag });
  }
}
