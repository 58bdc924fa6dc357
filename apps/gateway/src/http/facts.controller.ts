import { canonicalText } from '@countersign/contracts';
import { type FactTable, factsOf } from '@countersign/domain';
import { Controller, Delete, Get, Patch, Put, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import type { Caller } from '../identity/authenticator.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { parseBody } from './body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { Problem } from './problem.js';
import { type Answer, type HttpReply, type HttpRequest, headerOf, ok } from './reply.js';

const ROWS_MAX = 20_000;
const TABLES_MAX = 200;
const NAME = /^[A-Za-z_]\w{0,63}$/;
const key = z.string().min(1).max(300);
const byKey = z.record(key, z.json());

/** `PUT /v1/facts/{table}`: rows by key, or keys alone. */
export const factsRequest = z.strictObject({ rows: z.union([z.array(key).max(ROWS_MAX), byKey]) });
/** `PATCH /v1/facts/{table}`. */
export const factsChange = z.strictObject({ set: byKey.default({}), remove: z.array(key).max(ROWS_MAX).default([]) });

const none = (table: string): Problem => new Problem('not-found', `there is no table ${table}`);
const tableOf = (request: HttpRequest): string => (request.params as { table: string }).table;
const etagOf = ({ version }: FactTable): string => `"${version}"`;

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
      return page instanceof Problem ? page : ok(pageOf([...this.tables(tenant_id).values()], page, ({ table }) => table, face));
    });
  }

  @Get(':table')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], ({ tenant_id }) => {
      const table = this.tables(tenant_id).get(tableOf(request));
      return table ? ok({ ...face(table), rows: Object.fromEntries(table.rows) }, { etag: etagOf(table) }) : none(tableOf(request));
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
      if (body instanceof Problem) return body;
      const rows = Array.isArray(body.rows) ? Object.fromEntries(body.rows.map((row) => [row, true])) : body.rows;
      return this.change(request, caller, { mode: 'replace', rows, removed: [] });
    });
  }

  @Patch(':table')
  merge(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], (caller) => {
      const body = parseBody(factsChange, request.body);
      if (body instanceof Problem) return body;
      return this.change(request, caller, { mode: 'merge', rows: body.set, removed: body.remove });
    });
  }

  @Delete(':table')
  drop(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], async (caller) => {
      if (!this.tables(caller.tenant_id).has(tableOf(request))) return none(tableOf(request));
      const done = await this.change(request, caller, { mode: 'drop', rows: {}, removed: [] });
      return done instanceof Problem ? done : { status: 204 };
    });
  }

  private tables(tenant_id: string): ReadonlyMap<string, FactTable> {
    return factsOf(this.room.configuration.state, tenant_id);
  }

  private async change(request: HttpRequest, caller: Caller, change: Change): Promise<Answer | Problem> {
    const { turns } = this.room.configuration;
    const written = await turns.take(caller.tenant_id, () => this.write(request, caller, change));
    if (written instanceof Problem) return written;
    const { after, offset } = written;
    const instances = await this.room.holders(offset);
    const shown = after ? face(after) : { table: tableOf(request) };
    return ok({ ...shown, config_offset: offset, instances }, after ? { etag: etagOf(after) } : {});
  }

  /** The table as this change leaves it, and where the change stands on configuration-changed. */
  private async write(
    request: HttpRequest,
    { tenant_id, principal }: Caller,
    { mode, rows, removed }: Change,
  ): Promise<{ after: FactTable | undefined; offset: number } | Problem> {
    const table = tableOf(request);
    const before = this.tables(tenant_id).get(table);
    const wanted = headerOf(request, 'if-match');
    if (wanted !== undefined && (!before || wanted !== etagOf(before)))
      return new Problem('precondition-failed', 'the table was changed meanwhile: read it again');
    if (!NAME.test(table)) return new Problem('invalid-request', 'a table is named by a letter, then letters, digits and _');
    if (!before && this.tables(tenant_id).size >= TABLES_MAX) return new Problem('conflict', `a tenant has at most ${TABLES_MAX} tables`);
    const size = Object.keys(rows).length + (mode === 'merge' ? (before?.rows.size ?? 0) : 0);
    if (size > ROWS_MAX) return new Problem('invalid-request', `a table has at most ${ROWS_MAX} rows`);
    const { writer, clock } = this.room.configuration;
    const change = { table, mode, rows_json: canonicalText(rows), removed, by: principal, changed_at_ms: clock.now_ms() };
    const { offset } = await writer.set(tenant_id, 'fact_table_set', change);
    return { after: this.tables(tenant_id).get(table), offset };
  }
}
