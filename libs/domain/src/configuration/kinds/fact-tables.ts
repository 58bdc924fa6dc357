import { type EventMap, sha256Hex } from '@countersign/contracts';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';
import type { FactTable } from '../state/fact-shelf.js';

const VERSIONS_KEPT = 10;

function rowsOf(text: string): [string, unknown][] {
  try {
    const rows = JSON.parse(text) as Record<string, unknown> | null;
    return typeof rows === 'object' && rows !== null && !Array.isArray(rows) ? Object.entries(rows) : [];
  } catch {
    return [];
  }
}

export function setFacts(state: ConfigurationState, event: EventMap['fact_table_set']): void {
  const facts = tenantPart(state, event.meta.tenant_id).facts;
  const { table, mode, rows_json, removed, changed_at_ms } = event;
  const before = facts.tables.get(table);
  const history = facts.earlier.get(table) ?? [];
  const version = (before ?? history.at(-1))?.version ?? 0;
  if (before) facts.earlier.set(table, [...history, before].slice(-VERSIONS_KEPT));
  facts.tables.delete(table);
  if (mode === 'drop') return;
  const rows = new Map([...(mode === 'merge' ? (before?.rows ?? []) : []), ...rowsOf(rows_json)]);
  for (const key of removed) rows.delete(key);
  const change_digest = sha256Hex(rows_json);
  facts.tables.set(table, { table, version: version + 1, rows, change_digest, by: event.by.id, changed_at_ms });
}

/** A tenant's fact tables by name. A changed table is a new object. */
export function factsOf(state: ConfigurationState, tenant_id: string): ReadonlyMap<string, FactTable> {
  return state.by_tenant.get(tenant_id)?.facts.tables ?? NO_TABLES;
}

const NO_TABLES: ReadonlyMap<string, FactTable> = new Map();
