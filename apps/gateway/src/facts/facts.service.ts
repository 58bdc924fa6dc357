import { type Caller, Refusal } from '@countersign/calls';
import { canonicalText } from '@countersign/contracts';
import { type FactTable, factsOf, itemNames } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import type { WithHeaders } from '../answers/with-headers.js';
import { ConfigurationService, type EditRequest } from '../configuration/configuration.service.js';
import type { ChangeFields } from '../configuration/configuration-writer.js';
import type { Everywhere } from '../configuration/running-instances.js';
import { pageOf } from '../lists/lists.js';
import { type Page, type PageQuery, placeOf } from '../lists/page-query.js';
import { type FactsChange, type FactsRequest, type FactTableAnswer, type FactTableSummary, ROWS_MAX } from './facts.schemas.js';

const TABLES_MAX = 200;
const NAME = /^[A-Za-z_]\w{0,63}$/;

interface Change {
  mode: 'replace' | 'merge' | 'drop';
  rows: Record<string, unknown>;
  removed: string[];
}

type ChangedTable = WithHeaders<FactTableSummary & Everywhere>;

const noSuchTable = (table: string): Refusal =>
  new Refusal('not-found', `the table ${table} does not exist`, { reason: 'fact_table_not_found' });

function summaryOf({ table, version, rows, by, changed_at_ms }: FactTable): FactTableSummary {
  return { table, version, rows: rows.size, changed_by: by, changed_at: new Date(changed_at_ms).toISOString() };
}

const answerOf = (table: FactTable): FactTableAnswer => ({ ...summaryOf(table), rows: Object.fromEntries(table.rows) });

/** Tables that conditions read as `facts.<table>`. Each change creates the next version. */
@Injectable()
export class FactsService {
  constructor(private readonly configuration: ConfigurationService) {}

  list(tenant_id: string, query: PageQuery): Page<FactTableSummary & { etag: string }> {
    return pageOf(
      [...this.tables(tenant_id).values()],
      placeOf(query),
      ({ table }) => table,
      (table) => ({ ...summaryOf(table), etag: this.etag(tenant_id, table.table) }),
    );
  }

  read(tenant_id: string, name: string): WithHeaders<FactTableAnswer> | Refusal {
    const table = this.tables(tenant_id).get(name);
    return table ? { body: answerOf(table), headers: { etag: this.etag(tenant_id, name) } } : noSuchTable(name);
  }

  versions(tenant_id: string, name: string): Page<FactTableAnswer> | Refusal {
    const earlier = this.configuration.state.by_tenant.get(tenant_id)?.facts.earlier.get(name) ?? [];
    const newest = this.tables(tenant_id).get(name);
    const versions = newest ? [...earlier, newest] : earlier;
    return versions.length > 0 ? { items: versions.toReversed().map(answerOf), next_cursor: null } : noSuchTable(name);
  }

  replace(caller: Caller, table: string, { rows }: FactsRequest, request: EditRequest): Promise<ChangedTable | Refusal> {
    const by_key = Array.isArray(rows) ? Object.fromEntries(rows.map((row) => [row, true])) : rows;
    return this.change(caller, table, { mode: 'replace', rows: by_key, removed: [] }, request);
  }

  merge(caller: Caller, table: string, { set, remove }: FactsChange, request: EditRequest): Promise<ChangedTable | Refusal> {
    return this.change(caller, table, { mode: 'merge', rows: set, removed: remove }, request);
  }

  async drop(caller: Caller, table: string, request: EditRequest): Promise<Refusal | undefined> {
    const dropped = await this.edit(caller, table, { mode: 'drop', rows: {}, removed: [] }, request);
    return dropped instanceof Refusal ? dropped : undefined;
  }

  private tables(tenant_id: string): ReadonlyMap<string, FactTable> {
    return factsOf(this.configuration.state, tenant_id);
  }

  private etag(tenant_id: string, table: string): string {
    return this.configuration.etag(tenant_id, itemNames.facts(table));
  }

  private async change(caller: Caller, table: string, change: Change, request: EditRequest): Promise<ChangedTable | Refusal> {
    const edited = await this.edit(caller, table, change, request);
    if (edited instanceof Refusal) return edited;
    const changed = this.tables(caller.tenant_id).get(table);
    if (!changed)
      return new Refusal('conflict', `the change was made, but another request then dropped the table ${table}`, {
        reason: 'changed_concurrently',
      });
    return { body: { ...summaryOf(changed), ...edited.everywhere }, headers: { etag: edited.etag } };
  }

  private edit(caller: Caller, table: string, change: Change, request: EditRequest) {
    const { tenant_id } = caller;
    const against = () => (this.tables(tenant_id).has(table) ? [] : [itemNames.fact_tables]);
    const draft = () => this.fault(caller, table, change) ?? this.fields(caller, table, change);
    return this.configuration.editEverywhere(request, { tenant_id, type: 'fact_table_set', item: itemNames.facts(table), against, draft });
  }

  private fault({ tenant_id }: Caller, table: string, { mode, rows }: Change): Refusal | undefined {
    const before = this.tables(tenant_id).get(table);
    if (mode === 'drop') return before ? undefined : noSuchTable(table);
    if (!NAME.test(table)) return new Refusal('invalid-request', 'a table name is a letter followed by letters, digits and _');
    if (!before && this.tables(tenant_id).size >= TABLES_MAX)
      return new Refusal('conflict', `a tenant has at most ${TABLES_MAX} tables`, { reason: 'fact_table_limit_reached' });
    const size = Object.keys(rows).length + (mode === 'merge' ? (before?.rows.size ?? 0) : 0);
    return size > ROWS_MAX ? new Refusal('invalid-request', `a table has at most ${ROWS_MAX} rows`) : undefined;
  }

  private fields({ principal }: Caller, table: string, { mode, rows, removed }: Change): ChangeFields<'fact_table_set'> {
    return { table, mode, rows_json: canonicalText(rows), removed, by: principal, changed_at_ms: this.configuration.now_ms() };
  }
}
