import { type Caller, Refusal } from '@countersign/calls';
import { canonicalText } from '@countersign/contracts';
import { type FactTable, factsOf, itemNames } from '@countersign/domain';
import { Controller, Delete, Get, Patch, Put, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import type { ChangeFields } from '../identity/configuration-writer.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { parseBody } from '../requests/body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

const ROWS_MAX = 20_000;
const TABLES_MAX = 200;
const NAME = /^[A-Za-z_]\w{0,63}$/;
const key = z.string().min(1).max(300);
const byKey = z.record(key, z.json());

/** `PUT /v1/facts/{table}`: rows by key, or keys alone. */
export const factsRequest = z.strictObject({ rows: z.union([z.array(key).max(ROWS_MAX), byKey]) });
/** `PATCH /v1/facts/{table}`. */
export const factsChange = z.strictObject({ set: byKey.default({}), remove: z.array(key).max(ROWS_MAX).default([]) });

const none = (table: string): Refusal => new Refusal('not-found', `there is no table ${table}`);
const tableOf = (request: HttpRequest): string => (request.params as { table: string }).table;

function face({ table, version, rows, by, changed_at_ms }: FactTable): Record<string, unknown> {
  return { table, version, rows: rows.size, changed_by: by, changed_at: new Date(changed_at_ms).toISOString() };
}

interface Change {
  mode: 'replace' | 'merge' | 'drop';
  rows: Record<string, unknown>;
  removed: string[];
}

/** `/v1/facts`: tables that conditions may use as `facts.<table>`; each change makes the next version. */
@Controller('v1/facts')
export class FactsController {
  constructor(
    private readonly face: Face,
    private readonly room: PolicyRoom,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], ({ tenant_id }) => {
      const page = listed(request);
      const shown = (table: FactTable) => ({ ...face(table), etag: this.etag(tenant_id, table.table) });
      return page instanceof Refusal ? page : ok(pageOf([...this.tables(tenant_id).values()], page, ({ table }) => table, shown));
    });
  }

  @Get(':table')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], ({ tenant_id }) => {
      const table = this.tables(tenant_id).get(tableOf(request));
      return table
        ? ok({ ...face(table), rows: Object.fromEntries(table.rows) }, { etag: this.etag(tenant_id, table.table) })
        : none(tableOf(request));
    });
  }

  @Get(':table/versions')
  versions(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], ({ tenant_id }) => {
      const name = tableOf(request);
      const earlier = this.room.configuration.state.by_tenant.get(tenant_id)?.facts.earlier.get(name) ?? [];
      const now = this.tables(tenant_id).get(name);
      if (!now && earlier.length === 0) return none(name);
      const all = [...earlier, ...(now ? [now] : [])].reverse();
      return ok({ items: all.map((table) => ({ ...face(table), rows: Object.fromEntries(table.rows) })), next_cursor: null });
    });
  }

  @Put(':table')
  replace(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], (caller) => {
      const body = parseBody(factsRequest, request.body);
      if (body instanceof Refusal) return body;
      const rows = Array.isArray(body.rows) ? Object.fromEntries(body.rows.map((row) => [row, true])) : body.rows;
      return this.change(request, caller, { mode: 'replace', rows, removed: [] });
    });
  }

  @Patch(':table')
  merge(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], (caller) => {
      const body = parseBody(factsChange, request.body);
      if (body instanceof Refusal) return body;
      return this.change(request, caller, { mode: 'merge', rows: body.set, removed: body.remove });
    });
  }

  @Delete(':table')
  drop(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], async (caller) => {
      const done = await this.change(request, caller, { mode: 'drop', rows: {}, removed: [] });
      return done instanceof Refusal ? done : { status: 204 };
    });
  }

  private tables(tenant_id: string): ReadonlyMap<string, FactTable> {
    return factsOf(this.room.configuration.state, tenant_id);
  }

  private etag(tenant_id: string, table: string): string {
    return this.room.configuration.edits.etag(tenant_id, itemNames.facts(table));
  }

  private async change(request: HttpRequest, caller: Caller, change: Change): Promise<Answer | Refusal> {
    const { tenant_id } = caller;
    const table = tableOf(request);
    const item = itemNames.facts(table);
    const against = () => (this.tables(tenant_id).has(table) ? [] : [itemNames.fact_tables]);
    const draft = () => this.fault(caller, table, change) ?? this.fields(caller, table, change);
    const edited = await this.room.editEverywhere(request, { tenant_id, type: 'fact_table_set', item, against, draft });
    if (edited instanceof Refusal) return edited;
    const after = this.tables(tenant_id).get(table);
    return ok({ ...(after ? face(after) : { table }), ...edited.everywhere }, { etag: edited.etag });
  }

  private fault({ tenant_id }: Caller, table: string, { mode, rows }: Change): Refusal | undefined {
    const before = this.tables(tenant_id).get(table);
    if (mode === 'drop') return before ? undefined : none(table);
    if (!NAME.test(table)) return new Refusal('invalid-request', 'a table is named by a letter, then letters, digits and _');
    if (!before && this.tables(tenant_id).size >= TABLES_MAX) return new Refusal('conflict', `a tenant has at most ${TABLES_MAX} tables`);
    const size = Object.keys(rows).length + (mode === 'merge' ? (before?.rows.size ?? 0) : 0);
    return size > ROWS_MAX ? new Refusal('invalid-request', `a table has at most ${ROWS_MAX} rows`) : undefined;
  }

  private fields({ principal }: Caller, table: string, { mode, rows, removed }: Change): ChangeFields<'fact_table_set'> {
    const changed_at_ms = this.room.configuration.clock.now_ms();
    return { table, mode, rows_json: canonicalText(rows), removed, by: principal, changed_at_ms };
  }
}
